#ifndef CCONFINEMENT_H
#define CCONFINEMENT_H

// Gives up what this process does not need, for the case that a library is taken over by what it parses. To be called before anything is
// read: there is no way back.
void streak_confine(void);

#endif
