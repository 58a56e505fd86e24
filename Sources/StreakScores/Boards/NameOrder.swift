/// Orders names in the same way on every node: by case-folded NFKD, never by the host's locale.
///
/// The standard library has no compatibility decomposition, and Foundation would cost start-up time and memory. This
/// folds letter case of every script, accented letters of the Latin, Greek and Cyrillic alphabets, full-width letters
/// and digits, and "ß". Other scripts keep their scalars, which also gives the same order on every node.
enum NameOrder {
    /// Bytes that compare like the folded name.
    static func key(for name: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(name.utf8.count)
        for scalar in name.unicodeScalars {
            if scalar.isASCII {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                key.append(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 32 : byte)
            } else {
                append(narrowed(scalar), to: &key)
            }
        }
        return key
    }

    private static func append(_ scalar: Unicode.Scalar, to key: inout [UInt8]) {
        for lowered in scalar.properties.lowercaseMapping.unicodeScalars {
            if lowered == "ß" {
                key.append(contentsOf: "ss".utf8)
            } else if let parts = decompositions[lowered] {
                key.append(contentsOf: parts.utf8)
            } else {
                key.append(contentsOf: String(lowered).utf8)
            }
        }
    }

    /// Full-width forms of ASCII as ASCII.
    private static func narrowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard 0xFF01...0xFF5E ~= scalar.value else { return scalar }
        return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    }

    private static let decompositions: [Unicode.Scalar: String] = {
        var table: [Unicode.Scalar: String] = [:]
        for (marks, letters, bases) in accents {
            for (letter, base) in zip(letters.unicodeScalars, bases.unicodeScalars) {
                table[letter] = String(base) + marks
            }
        }
        return table
    }()

    /// Combining marks, lower-case letters that carry them, and those letters without them, from UnicodeData.
    private static let accents: [(marks: String, letters: String, bases: String)] = [
        ("\u{300}", "àèìòùǹѐѝẁỳ", "aeiounеиwy"),
        ("\u{301}", "áéíóúýćĺńŕśźǵǽǿάέήίόύώϓѓќḱḿṕẃ", "aeiouyclnrszgæøαεηιουωΥгкkmpw"),
        ("\u{301}\u{307}", "ṥ", "s"),
        ("\u{302}", "âêîôûĉĝĥĵŝŵŷẑ", "aeioucghjswyz"),
        ("\u{302}\u{300}", "ầềồ", "aeo"),
        ("\u{302}\u{301}", "ấếố", "aeo"),
        ("\u{302}\u{303}", "ẫễỗ", "aeo"),
        ("\u{302}\u{309}", "ẩểổ", "aeo"),
        ("\u{303}", "ãñõĩũṽẽỹ", "anoiuvey"),
        ("\u{303}\u{301}", "ṍṹ", "ou"),
        ("\u{303}\u{304}", "ȭ", "o"),
        ("\u{303}\u{308}", "ṏ", "o"),
        ("\u{304}", "āēīōūǣȳӣӯḡ", "aeiouæyиуg"),
        ("\u{304}\u{300}", "ḕṑ", "eo"),
        ("\u{304}\u{301}", "ḗṓ", "eo"),
        ("\u{304}\u{308}", "ṻ", "u"),
        ("\u{306}", "ăĕğĭŏŭйўӂӑӗ", "aegiouиужае"),
        ("\u{306}\u{300}", "ằ", "a"),
        ("\u{306}\u{301}", "ắ", "a"),
        ("\u{306}\u{303}", "ẵ", "a"),
        ("\u{306}\u{309}", "ẳ", "a"),
        ("\u{307}", "ċėġżȧȯḃḋḟḣṁṅṗṙṡṫẇẋẏẛ", "cegzaobdfhmnprstwxys"),
        ("\u{307}\u{304}", "ǡȱ", "ao"),
        ("\u{308}", "äëïöüÿϊϋϔёїӓӛӝӟӥӧӫӭӱӵӹḧẅẍẗ", "aeiouyιυΥеіаәжзиоөэучыhwxt"),
        ("\u{308}\u{300}", "ǜ", "u"),
        ("\u{308}\u{301}", "ǘΐΰḯ", "uιυi"),
        ("\u{308}\u{304}", "ǖǟȫ", "uao"),
        ("\u{308}\u{30C}", "ǚ", "u"),
        ("\u{309}", "ảẻỉỏủỷ", "aeiouy"),
        ("\u{30A}", "åůẘẙ", "auwy"),
        ("\u{30A}\u{301}", "ǻ", "a"),
        ("\u{30B}", "őűӳ", "ouу"),
        ("\u{30C}", "čďěľňřšťžǎǐǒǔǧǩǯǰȟ", "cdelnrstzaiougkʒjh"),
        ("\u{30C}\u{307}", "ṧ", "s"),
        ("\u{30F}", "ȁȅȉȍȑȕѷ", "aeioruѵ"),
        ("\u{311}", "ȃȇȋȏȓȗ", "aeioru"),
        ("\u{31B}", "ơư", "ou"),
        ("\u{31B}\u{300}", "ờừ", "ou"),
        ("\u{31B}\u{301}", "ớứ", "ou"),
        ("\u{31B}\u{303}", "ỡữ", "ou"),
        ("\u{31B}\u{309}", "ởử", "ou"),
        ("\u{31B}\u{323}", "ợự", "ou"),
        ("\u{323}", "ḅḍḥḳḷṃṇṛṣṭṿẉẓạẹịọụỵ", "bdhklmnrstvwzaeiouy"),
        ("\u{323}\u{302}", "ậệộ", "aeo"),
        ("\u{323}\u{304}", "ḹṝ", "lr"),
        ("\u{323}\u{306}", "ặ", "a"),
        ("\u{323}\u{307}", "ṩ", "s"),
        ("\u{324}", "ṳ", "u"),
        ("\u{325}", "ḁ", "a"),
        ("\u{326}", "șț", "st"),
        ("\u{327}", "çģķļņŗşţȩḑḩ", "cgklnrstedh"),
        ("\u{327}\u{301}", "ḉ", "c"),
        ("\u{327}\u{306}", "ḝ", "e"),
        ("\u{328}", "ąęįųǫ", "aeiuo"),
        ("\u{328}\u{304}", "ǭ", "o"),
        ("\u{32D}", "ḓḙḽṋṱṷ", "delntu"),
        ("\u{32E}", "ḫ", "h"),
        ("\u{330}", "ḛḭṵ", "eiu"),
        ("\u{331}", "ḇḏḵḻṉṟṯẕẖ", "bdklnrtzh"),
    ]
}
