#ifndef CTORRENT_H
#define CTORRENT_H

// A client of the Mainline DHT: libtorrent with everything else of it switched off.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct streak_dht streak_dht;

// An IPv6 address, or an IPv4 one mapped into IPv6, in network order; the port as a number.
typedef struct streak_endpoint {
    uint8_t address[16];
    uint16_t port;
} streak_endpoint;

// What is told, from a thread of the session, until `streak_dht_close` has returned. Every put ends with `stored`, every get with
// `ended`, unless the session is closed before.
typedef struct streak_dht_observer {
    // The session can be asked now, and knows so many nodes; 0 where nobody answered.
    void (*opened)(uint16_t nodes);
    // So many nodes have stored what was put.
    void (*stored)(uint32_t id, uint16_t count);
    // A newer value than those before; what else there is may follow.
    void (*value)(uint32_t id, int64_t sequence, const uint8_t *value, size_t size);
    void (*ended)(uint32_t id);
} streak_dht_observer;

// Opens a session that answers nobody's questions (BEP 43). `bootstrap` is `HOST:PORT`, separated by commas, and never empty: with an
// empty one, libtorrent 2.0.8 forgets the saved nodes. In a `lab` there is no limit to how many nodes one network may have, and
// node IDs do not follow from addresses. Null if the system does not allow it.
streak_dht *streak_dht_open(
    const char *bootstrap, const streak_endpoint *nodes, size_t count, bool lab, streak_dht_observer observer);

// False, and nothing is told, where the session cannot take it: another get of this key is under way, or it failed.
bool streak_dht_put(
    streak_dht *dht, uint32_t id, const uint8_t key[32], int64_t sequence, const uint8_t *value, size_t size,
    const uint8_t signature[64]);
bool streak_dht_get(streak_dht *dht, uint32_t id, const uint8_t key[32]);

// Writes nodes that were heard of, at most `capacity`, and returns how many.
size_t streak_dht_nodes(streak_dht *dht, streak_endpoint *nodes, size_t capacity);

void streak_dht_close(streak_dht *dht);

#ifdef __cplusplus
}
#endif
#endif
