#ifndef CUPNP_H
#define CUPNP_H

// The few calls of miniupnpc that the helper makes. All of them block, for seconds where a router is slow.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A router that takes orders by UPnP, and how to reach it.
typedef struct streak_router streak_router;

enum streak_router_search {
    streak_router_found = 0,
    // Nothing on this network answers as a router.
    streak_router_none = 1,
    // The router says that it has no connection, or no address of its own on the internet.
    streak_router_unconnected = 2,
};

// What a router's description may be called, in bytes with the zero at its end.
enum { streak_router_location_size = 256 };

// Finds the router: at `location`, where it was found before, or, if that is empty or fails, by asking the network. Null unless
// `*search` is `streak_router_found`; to be given back with `streak_router_release`.
streak_router *streak_router_find(const char *location, bool ipv6, enum streak_router_search *search);
void streak_router_release(streak_router *router);

// Where its description is; empty where that is longer than may be.
const char *streak_router_location(const streak_router *router);

// Whether it chooses another port itself where the wanted one is taken (WANIPConnection:2).
bool streak_router_chooses_port(const streak_router *router);

// Its address on the internet as text, at most 39 characters; empty if it does not say.
void streak_router_outside(const streak_router *router, char address[40]);

// The following answer 0, an error of UPnP (above 0), or an error of miniupnpc (below 0).

int streak_router_add(
    const streak_router *router, bool tcp, uint16_t outside, uint16_t inside, uint32_t lease_seconds);
// `*outside` is the wanted port, then the one that was opened.
int streak_router_add_any(
    const streak_router *router, bool tcp, uint16_t *outside, uint16_t inside, uint32_t lease_seconds);
int streak_router_delete(const streak_router *router, bool tcp, uint16_t outside);

// Lets through what comes to an IPv6 address and port of this machine. `*pinhole` is the router's number for it.
int streak_router_add_pinhole(
    const streak_router *router, bool tcp, const char *address, uint16_t port, uint32_t lease_seconds,
    uint16_t *pinhole);
int streak_router_delete_pinhole(const streak_router *router, uint16_t pinhole);

#ifdef __cplusplus
}
#endif
#endif
