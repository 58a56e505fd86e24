extension String {
    /// Whether anything of it is seen: something that is neither white space nor, as Unicode says
    /// (`Default_Ignorable_Code_Point`), invisible where it is not supported.
    public var isVisible: Bool {
        unicodeScalars.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    }
}
