/* memory.hh - small pieces of tensors' memory, kept at hand.
 *
 * The C library does not keep freed pieces of aligned memory at hand as it does
 * others: to give out one and to take it back costs a fifth of what an operator
 * on a small tensor takes, and scatters the heap.  Pieces of up to 4 KB
 * are kept here by size instead, for the thread that runs the nodes; anything
 * else is left to libtorch's own allocator.
 */
#ifndef FX_TORCH_MEMORY_HH
#define FX_TORCH_MEMORY_HH

#include <c10/core/CPUAllocator.h>

#include <cstring>
#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__)
#define FXS_WATCHES_MEMORY 1
#elif defined(__has_feature)
#define FXS_WATCHES_MEMORY __has_feature(address_sanitizer)
#else
#define FXS_WATCHES_MEMORY 0
#endif

namespace fxs
{

/* Freed pieces by size, each holding the address of the next.  Every piece,
 * however large, has its size before it.
 */
class Pieces
{
	static constexpr size_t STEP = 64; /* bytes; also the alignment */
	static constexpr size_t SIZES = 64;
	static constexpr unsigned MOST = 64; /* of one size */

	pthread_t owner = pthread_self();
	void *first[SIZES + 1] = {};
	unsigned count[SIZES + 1] = {};

	bool is_mine() const
	{
		return pthread_equal(owner, pthread_self());
	}

	static size_t *size_of(void *piece)
	{
		return reinterpret_cast<size_t *>(static_cast<char *>(piece) -
						  STEP);
	}

	/* What is too much with its size is too much without. */
	static void *fresh(size_t size, size_t bytes)
	{
		size_t all = bytes > SIZE_MAX - STEP ? bytes : STEP + bytes;
		char *base = static_cast<char *>(libtorchs->raw_allocate(all));

		memcpy(base, &size, sizeof(size));
		return base + STEP;
	}

      public:
	static c10::Allocator *libtorchs;

	/* Of at least one byte; throws as libtorch's own allocator does. */
	void *take(size_t bytes)
	{
		size_t size = (bytes - 1) / STEP + 1;
		void *piece;

		if (size > SIZES)
			return fresh(size, bytes);
		piece = is_mine() ? first[size] : nullptr;
		if (!piece)
			return fresh(size, size * STEP);
		memcpy(&first[size], piece, sizeof(piece));
		count[size]--;
		return piece;
	}

	void give(void *piece)
	{
		size_t size;

		if (!piece)
			return;
		size = *size_of(piece);
		if (!is_mine() || size > SIZES || count[size] >= MOST) {
			libtorchs->raw_deallocate(size_of(piece));
			return;
		}
		memcpy(piece, &first[size], sizeof(piece));
		first[size] = piece;
		count[size]++;
	}
};

inline c10::Allocator *Pieces::libtorchs;
inline Pieces pieces;

/* Functions of the base class differ from version to version: of those below,
 * some override nothing.
 */
class Memory : public c10::Allocator
{
	static void give_back(void *piece)
	{
		pieces.give(piece);
	}

	static c10::DataPtr give_out(size_t bytes)
	{
		void *piece = bytes ? pieces.take(bytes) : nullptr;

		return { piece, piece, give_back,
			c10::Device(c10::DeviceType::CPU) };
	}

      public:
	virtual c10::DataPtr allocate(size_t bytes)
	{
		return give_out(bytes);
	}

	virtual c10::DataPtr allocate(size_t bytes) const
	{
		return give_out(bytes);
	}

	virtual c10::DeleterFnPtr raw_deleter() const
	{
		return give_back;
	}

	virtual void copy_data(void *to, const void *from, size_t bytes) const
	{
		memcpy(to, from, bytes);
	}
};

/* From now on libtorch takes its tensors' memory from here; not where a
 * sanitizer looks after freed memory.
 */
inline void
keep_pieces()
{
#if !FXS_WATCHES_MEMORY
	static Memory memory;

	if (Pieces::libtorchs)
		return;
	Pieces::libtorchs = c10::GetCPUAllocator();
	c10::SetCPUAllocator(&memory, UINT8_MAX);
#endif
}

} // namespace fxs

#endif // FX_TORCH_MEMORY_HH
