"""One node of a DHT that a test makes. usage: dht-node.py ADDRESS PORT [BOOTSTRAP-ADDRESS:PORT …]

It stores what others put, says “ready” once it listens, and “settled” once it knows four others. It ends with its standard input.
"""

import sys
import time

import libtorrent

address, port, *others = sys.argv[1:]
session = libtorrent.session({
    "listen_interfaces": f"{address}:{port}",
    "enable_dht": True,
    "enable_lsd": False,
    "enable_upnp": False,
    "enable_natpmp": False,
    # One that is empty has libtorrent 2.0.8 forget the nodes that it is told of.
    "dht_bootstrap_nodes": ",".join(others) or f"{address}:{port}",
    # All nodes are in one small network, whose addresses say nothing about node IDs.
    "dht_restrict_routing_ips": False,
    "dht_restrict_search_ips": False,
    "dht_enforce_node_id": False,
    "dht_ignore_dark_internet": False,
    "dht_prefer_verified_node_ids": False,
    "alert_mask": libtorrent.alert.category_t.status_notification,
})
for other in others:
    host, _, number = other.rpartition(":")
    session.add_dht_node((host, int(number)))
while session.listen_port() == 0:
    session.wait_for_alert(50)
    session.pop_alerts()
print("ready", flush=True)
while session.status().dht_nodes < 4:
    for other in others:
        host, _, number = other.rpartition(":")
        session.add_dht_node((host, int(number)))
    time.sleep(0.25)
print("settled", flush=True)
sys.stdin.read()
