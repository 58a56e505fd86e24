#include "CTorrent.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <libtorrent/alert_types.hpp>
#include <libtorrent/entry.hpp>
#include <libtorrent/session.hpp>
#include <libtorrent/session_params.hpp>
#include <libtorrent/settings_pack.hpp>

namespace lt = libtorrent;

namespace {

using Key = std::array<char, 32>;
using Clock = std::chrono::steady_clock;

// As many nodes are enough to begin a search; it finds further ones itself.
constexpr int enough_nodes = 8;
// How often the listener looks whether the session closes, and how many nodes it knows while it opens.
constexpr std::chrono::milliseconds step{50};
// After this, fewer are enough: of those that were kept most may be gone, and libtorrent waits long for each.
constexpr std::chrono::seconds patience{1};
// Bootstrap nodes are found by DNS and answer within a round trip, or not at all.
constexpr std::chrono::seconds opening_limit{10};

lt::settings_pack settings(char const* bootstrap, bool lab) {
    using pack = lt::settings_pack;
    pack p;
    p.set_str(pack::user_agent, "");
    p.set_str(pack::dht_bootstrap_nodes, bootstrap);
    // Ports that the system chooses. libtorrent listens for streams, too, whatever is set; nothing is served there.
    p.set_str(pack::listen_interfaces, "0.0.0.0:0,[::]:0");
    p.set_int(pack::alert_mask, static_cast<int>(static_cast<std::uint32_t>(lt::alert_category::dht)));
    p.set_int(pack::aio_threads, 0);
    p.set_int(pack::hashing_threads, 0);
    p.set_int(pack::dht_upload_rate_limit, 8000);
    p.set_bool(pack::enable_dht, true);
    p.set_bool(pack::dht_read_only, true);
    for (int off : {pack::enable_lsd, pack::enable_upnp, pack::enable_natpmp, pack::enable_incoming_tcp,
                    pack::enable_outgoing_tcp, pack::enable_incoming_utp, pack::enable_outgoing_utp})
        p.set_bool(off, false);
    if (lab)
        for (int off : {pack::dht_restrict_routing_ips, pack::dht_restrict_search_ips, pack::dht_enforce_node_id,
                        pack::dht_ignore_dark_internet, pack::dht_prefer_verified_node_ids})
            p.set_bool(off, false);
    return p;
}

lt::udp::endpoint from_c(streak_endpoint const& endpoint) {
    lt::address_v6::bytes_type bytes;
    std::copy_n(endpoint.address, bytes.size(), bytes.begin());
    lt::address_v6 const address(bytes);
    if (!address.is_v4_mapped()) return {address, endpoint.port};
    lt::address_v4::bytes_type four;
    std::copy_n(bytes.begin() + 12, four.size(), four.begin());
    return {lt::address_v4(four), endpoint.port};
}

streak_endpoint to_c(lt::udp::endpoint const& endpoint) {
    streak_endpoint result{};
    result.port = endpoint.port();
    if (endpoint.address().is_v4()) {
        auto const bytes = endpoint.address().to_v4().to_bytes();
        result.address[10] = result.address[11] = 0xff;
        std::copy(bytes.begin(), bytes.end(), result.address + 12);
    } else {
        auto const bytes = endpoint.address().to_v6().to_bytes();
        std::copy(bytes.begin(), bytes.end(), result.address);
    }
    return result;
}

struct Search {
    uint32_t id;
    // The sequence number of the newest value that was told.
    std::int64_t told;
    int count;
};

// What a search tells before its end. Whoever signs items at a place can leave another at each node; the last alert has the newest.
constexpr int most_values = 30;

Key key_of(uint8_t const* bytes) {
    Key key;
    std::memcpy(key.data(), bytes, key.size());
    return key;
}

}  // namespace

struct streak_dht {
    explicit streak_dht(streak_dht_observer o) : observer(o) {}

    streak_dht_observer const observer;
    std::unique_ptr<lt::session> session;
    std::thread listener;
    std::atomic<bool> closing{false};
    // The following are guarded. Events are taken out under the lock, and reported after it is released.
    std::mutex mutex;
    std::map<Key, Search> gets;
    std::multimap<std::pair<Key, std::int64_t>, uint32_t> puts;

    // The listener's own.
    bool is_open = false;
    bool is_bootstrapped = false;
    int known = 0;
    Clock::time_point const began = Clock::now();

    void run();
    void open_with(int nodes);
    void hear(lt::alert const* alert);
    void hear_put(lt::dht_put_alert const& put);
    void hear_item(lt::dht_mutable_item_alert const& item);
};

void streak_dht::run() {
    std::vector<lt::alert*> alerts;
    Clock::time_point asked;
    while (!closing) {
        // The answer is an alert, too, and would end the waiting at once.
        if (!is_open && Clock::now() - asked >= step) {
            session->post_dht_stats();
            asked = Clock::now();
        }
        session->wait_for_alert(step);
        session->pop_alerts(&alerts);
        for (lt::alert const* alert : alerts) {
            if (closing) return;
            hear(alert);
        }
        if (!is_open && Clock::now() - began > opening_limit) open_with(known);
    }
}

void streak_dht::open_with(int nodes) {
    is_open = true;
    observer.opened(static_cast<uint16_t>(std::min(nodes, 65535)));
}

void streak_dht::hear(lt::alert const* alert) {
    if (auto const* stats = lt::alert_cast<lt::dht_stats_alert>(alert)) {
        known = 0;
        for (auto const& bucket : stats->routing_table) known += bucket.num_nodes;
        // A small network has fewer than enough; then those that answered are all. And after a while they have to do.
        bool const waits = !is_bootstrapped && Clock::now() - began < patience;
        if (!is_open && known >= (waits ? enough_nodes : 1)) open_with(known);
    } else if (lt::alert_cast<lt::dht_bootstrap_alert>(alert)) {
        is_bootstrapped = true;
    } else if (auto const* put = lt::alert_cast<lt::dht_put_alert>(alert)) {
        hear_put(*put);
    } else if (auto const* item = lt::alert_cast<lt::dht_mutable_item_alert>(alert)) {
        hear_item(*item);
    }
}

void streak_dht::hear_put(lt::dht_put_alert const& put) {
    uint32_t id;
    {
        std::lock_guard<std::mutex> const guard(mutex);
        auto const found = puts.find({put.public_key, put.seq});
        if (found == puts.end()) return;
        id = found->second;
        puts.erase(found);
    }
    observer.stored(id, static_cast<uint16_t>(std::clamp(put.num_success, 0, 65535)));
}

void streak_dht::hear_item(lt::dht_mutable_item_alert const& item) {
    uint32_t id;
    bool is_news = false;
    {
        std::lock_guard<std::mutex> const guard(mutex);
        auto const found = gets.find(item.key);
        if (found == gets.end()) return;
        Search& search = found->second;
        id = search.id;
        // The last alert repeats the newest value; its item is empty where there was none.
        is_news = item.item.type() == lt::entry::string_t && item.seq > search.told
            && (search.count < most_values || item.authoritative);
        if (is_news) {
            search.told = item.seq;
            search.count += 1;
        }
        if (item.authoritative) gets.erase(found);
    }
    if (is_news) {
        auto const& value = item.item.string();
        observer.value(id, item.seq, reinterpret_cast<uint8_t const*>(value.data()), value.size());
    }
    if (item.authoritative) observer.ended(id);
}

streak_dht* streak_dht_open(
    char const* bootstrap, streak_endpoint const* nodes, size_t count, bool lab, streak_dht_observer observer) {
    try {
        auto dht = std::make_unique<streak_dht>(observer);
        lt::session_params params(settings(bootstrap, lab), {});
        for (size_t index = 0; index < count; index++) {
            auto const endpoint = from_c(nodes[index]);
            auto& list = endpoint.address().is_v4() ? params.dht_state.nodes : params.dht_state.nodes6;
            list.push_back(endpoint);
        }
        dht->session = std::make_unique<lt::session>(std::move(params));
        streak_dht* const shared = dht.get();
        dht->listener = std::thread([shared] { shared->run(); });
        return dht.release();
    } catch (...) {
        return nullptr;
    }
}

bool streak_dht_put(
    streak_dht* dht, uint32_t id, uint8_t const* key, int64_t sequence, uint8_t const* value, size_t size,
    uint8_t const* signature) {
    try {
        Key const public_key = key_of(key);
        std::array<char, 64> signed_by;
        std::memcpy(signed_by.data(), signature, signed_by.size());
        std::string const text(reinterpret_cast<char const*>(value), size);
        {
            std::lock_guard<std::mutex> const guard(dht->mutex);
            dht->puts.insert({{public_key, sequence}, id});
        }
        dht->session->dht_put_item(
            public_key,
            [=](lt::entry& entry, std::array<char, 64>& signature_of, std::int64_t& number, std::string const&) {
                entry = text;
                signature_of = signed_by;
                number = sequence;
            });
        return true;
    } catch (...) {
        return false;
    }
}

bool streak_dht_get(streak_dht* dht, uint32_t id, uint8_t const* key) {
    try {
        Key const public_key = key_of(key);
        {
            std::lock_guard<std::mutex> const guard(dht->mutex);
            if (!dht->gets.insert({public_key, Search{id, std::numeric_limits<std::int64_t>::min(), 0}}).second) return false;
        }
        dht->session->dht_get_item(public_key);
        return true;
    } catch (...) {
        return false;
    }
}

size_t streak_dht_nodes(streak_dht* dht, streak_endpoint* nodes, size_t capacity) {
    try {
        auto const state = dht->session->session_state(lt::session_handle::save_dht_state).dht_state;
        size_t count = 0;
        for (auto const* list : {&state.nodes, &state.nodes6})
            for (auto const& endpoint : *list)
                if (count < capacity) nodes[count++] = to_c(endpoint);
        return count;
    } catch (...) {
        return 0;
    }
}

void streak_dht_close(streak_dht* dht) {
    dht->closing = true;
    if (dht->listener.joinable()) dht->listener.join();
    try {
        dht->session.reset();
    } catch (...) {
        // What it held is gone with the process at the latest.
    }
    delete dht;
}
