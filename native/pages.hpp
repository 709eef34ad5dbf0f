// Memory for as many items as a column has rows, not initialised. In huge pages where the system has them on request:
// the faults of small ones cost more than what is written there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace calipers {

// A few rooms that were given back, for the next call: clearing new pages was a sixth of a sort with weights. Taken and
// given without a lock, which a fork might find locked. The system may have their pages whenever it needs memory.
struct Rooms {
    static constexpr std::size_t page = std::size_t{1} << 21, least = 2 * page, most = 16 * page;
    struct Room {
        std::size_t bytes;
    };
    inline static std::atomic<Room*> kept[2] = {};

    // Memory of at least so many bytes, whole huge pages, and how many it has.
    static void* take(std::size_t& bytes) {
        for (auto& slot : kept) {
            Room* const room = slot.exchange(nullptr);
            if (room != nullptr && room->bytes >= bytes && room->bytes <= 2 * bytes) {
                bytes = room->bytes;
                return room;
            }
            if (room != nullptr) std::free(slot.exchange(room));
        }
        bytes = (bytes + page - 1) / page * page;
        void* const memory = std::aligned_alloc(page, bytes);
#ifdef __linux__
        if (memory) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return memory;
    }

    static void give(void* memory, std::size_t bytes) {
        if (bytes > most) return std::free(memory);
#ifdef MADV_FREE
        madvise(memory, bytes, MADV_FREE);
#endif
        Room* room = new (memory) Room{bytes};
        for (auto& slot : kept)
            if ((room = slot.exchange(room)) == nullptr) return;
        std::free(room);
    }
};

struct GiveBack {
    std::size_t bytes = 0;  // 0: it is no room

    void operator()(void* memory) const { bytes ? Rooms::give(memory, bytes) : std::free(memory); }
};
template <class T>
using Pages = std::unique_ptr<T[], GiveBack>;

template <class T>
Pages<T> pages(std::size_t n) {
    std::size_t bytes = n * sizeof(T) + 1;
    const bool room = bytes >= Rooms::least;
    void* const memory = room ? Rooms::take(bytes) : std::malloc(bytes);
    if (!memory) throw std::bad_alloc();
    return Pages<T>(static_cast<T*>(memory), GiveBack{room ? bytes : 0});
}

}  // namespace calipers
