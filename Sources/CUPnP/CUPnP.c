#include "CUPnP.h"

#include <miniupnpc/miniupnpc.h>
#include <miniupnpc/upnpcommands.h>
#include <miniupnpc/upnperrors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How long answers are waited for, in milliseconds. Routers answer within a second that is asked for (MX), and Wi-Fi is late.
// miniupnpc waits all of it, and four times that where nobody answers.
enum { search_milliseconds = 1500 };

struct streak_router {
    struct UPNPUrls urls;
    struct IGDdatas data;
    // This machine's address on the router's network.
    char own[64];
    char location[streak_router_location_size];
};

// What miniupnpc says of the devices found, in words that do not depend on its version.
static enum streak_router_search choose(struct UPNPDev *devices, streak_router *router) {
#if MINIUPNPC_API_VERSION >= 18
    char outside[64];
    int state = UPNP_GetValidIGD(
        devices, &router->urls, &router->data, router->own, sizeof router->own, outside, sizeof outside);
    // 2: its outside address is private; 3: not connected; 4: no router.
    if (state == 2 || state == 3) return streak_router_unconnected;
#else
    int state = UPNP_GetValidIGD(devices, &router->urls, &router->data, router->own, sizeof router->own);
    // 2: not connected; 3: no router.
    if (state == 2) return streak_router_unconnected;
#endif
    return state == 1 ? streak_router_found : streak_router_none;
}

static void note_location(streak_router *router) {
    const char *location = router->urls.rootdescURL;
    if (location != NULL && strlen(location) < sizeof router->location) strcpy(router->location, location);
}

streak_router *streak_router_find(const char *location, bool ipv6, enum streak_router_search *search) {
    *search = streak_router_none;
    streak_router *router = calloc(1, sizeof *router);
    if (router == NULL) return NULL;
    if (location[0] != 0 &&
        UPNP_GetIGDFromUrl(location, &router->urls, &router->data, router->own, sizeof router->own) == 1) {
        snprintf(router->location, sizeof router->location, "%s", location);
        *search = streak_router_found;
        return router;
    }
    FreeUPNPUrls(&router->urls);
    memset(router, 0, sizeof *router);
    int error = 0;
    struct UPNPDev *devices =
        upnpDiscover(search_milliseconds, NULL, NULL, UPNP_LOCAL_PORT_ANY, ipv6 ? 1 : 0, 2, &error);
    if (devices != NULL) *search = choose(devices, router);
    freeUPNPDevlist(devices);
    if (*search == streak_router_found) {
        note_location(router);
        return router;
    }
    streak_router_release(router);
    return NULL;
}

void streak_router_release(streak_router *router) {
    if (router == NULL) return;
    FreeUPNPUrls(&router->urls);
    free(router);
}

const char *streak_router_location(const streak_router *router) { return router->location; }

bool streak_router_chooses_port(const streak_router *router) {
    const char *type = router->data.first.servicetype;
    size_t length = strnlen(type, sizeof router->data.first.servicetype);
    return length >= 2 && type[length - 2] == ':' && type[length - 1] >= '2' && type[length - 1] <= '9';
}

void streak_router_outside(const streak_router *router, char address[40]) {
    // miniupnpc writes 16 bytes; room for more is a guard against other versions of it.
    char text[128] = "";
    address[0] = 0;
    if (UPNP_GetExternalIPAddress(router->urls.controlURL, router->data.first.servicetype, text) != 0) return;
    text[sizeof text - 1] = 0;
    if (strlen(text) < 40) strcpy(address, text);
}

static const char *protocol(bool tcp) { return tcp ? "TCP" : "UDP"; }

int streak_router_add(
    const streak_router *router, bool tcp, uint16_t outside, uint16_t inside, uint32_t lease_seconds) {
    char outer[8], inner[8], lease[12];
    snprintf(outer, sizeof outer, "%u", outside);
    snprintf(inner, sizeof inner, "%u", inside);
    snprintf(lease, sizeof lease, "%u", lease_seconds);
    return UPNP_AddPortMapping(
        router->urls.controlURL, router->data.first.servicetype, outer, inner, router->own, "StreakMesh",
        protocol(tcp), NULL, lease);
}

int streak_router_add_any(
    const streak_router *router, bool tcp, uint16_t *outside, uint16_t inside, uint32_t lease_seconds) {
    char outer[8], inner[8], lease[12], reserved[16] = "";
    snprintf(outer, sizeof outer, "%u", *outside);
    snprintf(inner, sizeof inner, "%u", inside);
    snprintf(lease, sizeof lease, "%u", lease_seconds);
    int error = UPNP_AddAnyPortMapping(
        router->urls.controlURL, router->data.first.servicetype, outer, inner, router->own, "StreakMesh",
        protocol(tcp), NULL, lease, reserved);
    if (error != 0) return error;
    reserved[sizeof reserved - 1] = 0;
    long port = strtol(reserved, NULL, 10);
    if (port < 1 || port > 65535) return UPNPCOMMAND_INVALID_RESPONSE;
    *outside = (uint16_t)port;
    return 0;
}

int streak_router_delete(const streak_router *router, bool tcp, uint16_t outside) {
    char outer[8];
    snprintf(outer, sizeof outer, "%u", outside);
    return UPNP_DeletePortMapping(
        router->urls.controlURL, router->data.first.servicetype, outer, protocol(tcp), NULL);
}

// The number of a protocol as IP has it: 6 for TCP, 17 for UDP.
static const char *protocol_number(bool tcp) { return tcp ? "6" : "17"; }

int streak_router_add_pinhole(
    const streak_router *router, bool tcp, const char *address, uint16_t port, uint32_t lease_seconds,
    uint16_t *pinhole) {
    if (router->urls.controlURL_6FC == NULL || router->urls.controlURL_6FC[0] == 0) return UPNPCOMMAND_INVALID_ARGS;
    char inner[8], lease[12], unique[16] = "";
    snprintf(inner, sizeof inner, "%u", port);
    snprintf(lease, sizeof lease, "%u", lease_seconds);
    int error = UPNP_AddPinhole(
        router->urls.controlURL_6FC, router->data.IPv6FC.servicetype, "empty", "0", address, inner,
        protocol_number(tcp), lease, unique);
    if (error != 0) return error;
    unique[sizeof unique - 1] = 0;
    char *end = unique;
    long number = strtol(unique, &end, 10);
    if (end == unique || number < 0 || number > 65535) return UPNPCOMMAND_INVALID_RESPONSE;
    *pinhole = (uint16_t)number;
    return 0;
}

int streak_router_delete_pinhole(const streak_router *router, uint16_t pinhole) {
    if (router->urls.controlURL_6FC == NULL || router->urls.controlURL_6FC[0] == 0) return UPNPCOMMAND_INVALID_ARGS;
    char unique[8];
    snprintf(unique, sizeof unique, "%u", pinhole);
    return UPNP_DeletePinhole(router->urls.controlURL_6FC, router->data.IPv6FC.servicetype, unique);
}
