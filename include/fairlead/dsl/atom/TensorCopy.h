/// Copies of boxes of tensors (TMA): one instruction of one thread moves a box between a tensor in
/// global memory, which a tensor map describes, and shared memory.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "fairlead/dsl/SourceLoc.h"
#include "fairlead/dsl/atom/CopyAtom.h"

namespace fairlead::dsl {

/// A copy atom with the tensor map of its tensor.
struct FAIRLEAD_API TensorAtom : CopyAtom {
  /// `values`: elements of shared memory that the copies of one box from all blocks of a multicast
  /// fill together.
  TensorAtom(const CopyOp &op, DType type, int values, const Pointer &map)
      : CopyAtom(op, type, values * bitWidth(type)), map(map) {}

  Pointer map; ///< of the tensor map, 128 bytes
  /// How modes of the tensor feed the map's dimensions: leaves of the tensor's layout for each, the
  /// first contiguous. Leaves of a dimension are contiguous one after the other.
  std::vector<std::vector<int>> leaves;
  /// Elements of the tensor in one of the map's along the first dimension.
  int elementsOfUnit = 1;
  Swizzle swizzle; ///< of the addresses of shared memory
  /// The tensor of an atom that a kernel made: copyMap writes it into the copy. `map` has the box
  /// alone, and copies cannot use it.
  std::optional<Tensor> described = std::nullopt;
};

/// The tensor map travels, the rest is known while tracing.
template <> struct ArgumentTraits<TensorAtom> {
  static void flatten(std::vector<Argument> &arguments, const TensorAtom &value) {
    ArgumentTraits<Pointer>::flatten(arguments, value.map);
  }
  static TensorAtom rebuild(ArgumentReader &reader, const TensorAtom *like) {
    if (!like)
      reader.reject("what makeTensorAtom makes in the body", "a tensor map");
    TensorAtom atom = *like;
    atom.map = reader.take<Pointer>(&like->map);
    return atom;
  }
};

/// The result of makeTensorAtom: the atom, and the tensor's coordinates in the order of the tensor
/// map, to be tiled like the tensor.
struct TensorCopyParts {
  TensorAtom atom;
  Tensor coordinates;
};

/// The atom that copies tiles of a tensor in global memory to or from shared memory of the layout
/// `shared` (without swizzle), whose addresses `swizzle` moves. In a host function the tensor map
/// is made when the program runs, by the driver; in a kernel, too, if the kernel's arguments
/// determine it. Otherwise the atom of a kernel is only for copyMap, which writes the map.
///
/// `tiler` cuts a tile of the first modes out of the tensor, as large as `shared`. `multicast`:
/// number of blocks that share the work of one tile. `internal`: the element type that the copy
/// uses, with as many bits or a multiple of them; packed elements of 4 bits are copied as bytes.
/// Wider types also let several modes that are contiguous one after the other be the first
/// dimension. Throws fairlead::Error (TypeError; ValueError, LayoutOperation) for copies that
/// tensor maps cannot describe: more than 5 dimensions, a first dimension that is not contiguous in
/// global and shared memory, boxes of more than 256 elements along a dimension or of a number of
/// bytes that is not a multiple of 16, strides that are known not to be multiples of 16 bytes,
/// other swizzles.
FAIRLEAD_API TensorCopyParts makeTensorAtom(const CopyOp &op, const Tensor &tensor,
                                            const layout::Layout &shared, const Swizzle &swizzle,
                                            const layout::Tiler &tiler, int multicast = 1,
                                            std::optional<DType> internal = std::nullopt,
                                            SourceLoc at = SourceLoc::here());

/// The atom of `op` that copies the tiles of `atom` if `blocks` blocks share the work of a tile.
/// For kernels: the host makes one more tensor map, with smaller boxes. Returns nothing if the host
/// does not make the map of `atom`, or if its box cannot be divided among the blocks.
FAIRLEAD_API std::optional<TensorAtom> shareTile(const TensorAtom &atom, const CopyOp &op,
                                                 int blocks, SourceLoc at = SourceLoc::here());

/// The fields of a tensor map, of a tensor whose dimensions the caller knows.
struct TensorMapFields {
  Pointer address;          ///< of the first element
  Scalars extents;          ///< in elements, the contiguous dimension first
  Scalars strides;          ///< in bytes, of all dimensions but the first
  std::vector<int32_t> box; ///< in elements
  int32_t type;             ///< CUtensorMapDataType
  int32_t elementBytes;
  int32_t swizzle; ///< 0 (none) to 3: rows of 16 << swizzle bytes
};

/// The tensor map of these fields, 128 bytes that kernels take as an argument. For host functions.
/// The caller checks the fields.
FAIRLEAD_API Pointer makeTensorMap(const TensorMapFields &fields, SourceLoc at = SourceLoc::here());

/// The parts of a tile that a block copies: `shared` (tile, rest ...) and `coordinates` (tile, rest
/// ...) with the tile divided into the atom's boxes: ((box, boxes), rest ...). The block is at
/// `block` among the blocks of `blocks` that share a tile. Shared memory comes first.
FAIRLEAD_API std::pair<Tensor, Tensor>
partitionBoxes(const TensorAtom &atom, const Scalar &block, const layout::Layout &blocks,
               const Tensor &shared, const Tensor &coordinates, SourceLoc at = SourceLoc::here());

/// Operands, besides source and destination, of instructions that one thread of a warp issues. All
/// threads of the warp execute them, and one is chosen.
struct BulkOperands {
  std::optional<Pointer> barrier; ///< of loads: the mbarrier that counts the bytes
  std::optional<Scalar> mask;     ///< of multicasts: the blocks of the cluster, as bits
  std::optional<Pointer> map;     ///< a tensor map in memory, in place of the atom's
  std::optional<Scalar> policy;   ///< of the L2 cache, Int64
  std::optional<Scalar> block;    ///< of BulkToBlock: which one of the cluster
};

/// copy() of boxes: of a load `source` are coordinates, of a store `destination`. Throws
/// fairlead::Error (TypeError).
FAIRLEAD_API void copyBoxes(const TensorAtom &atom, const Tensor &source, const Tensor &destination,
                            const BulkOperands &operands, SourceLoc at = SourceLoc::here());
/// Brings the boxes of coordinates to the L2 cache.
FAIRLEAD_API void prefetchBoxes(const TensorAtom &atom, const Tensor &coordinates,
                                const BulkOperands &operands = {},
                                SourceLoc at = SourceLoc::here());
/// copy() of neighbouring bytes.
FAIRLEAD_API void copyBulk(const CopyAtom &atom, const Tensor &source, const Tensor &destination,
                           const BulkOperands &operands, SourceLoc at = SourceLoc::here());

/// Brings the atom's tensor map to where copies find it.
FAIRLEAD_API void prefetchMap(const TensorAtom &atom, SourceLoc at = SourceLoc::here());
/// Ends the group of stores (of boxes and bytes) that the thread has asked for.
FAIRLEAD_API void commitBulk(SourceLoc at = SourceLoc::here());
/// Waits until at most `groups` groups of the thread are in flight; `read`: until the sources of
/// the others have been read.
FAIRLEAD_API void waitBulk(int groups, bool read, SourceLoc at = SourceLoc::here());

/// Tensor maps that kernels change in memory, at an address divisible by 128: the atom's map
/// becomes the one at `map`; by one thread, or by several that do the same. Of an atom that a
/// kernel made, the map there describes the atom's tensor.
FAIRLEAD_API void copyMap(const TensorAtom &atom, const Pointer &map,
                          SourceLoc at = SourceLoc::here());
/// Copies one of the 16 words of 64 bits of an atom's map, so that lanes of a warp can share the
/// work. Not of an atom that a kernel made.
FAIRLEAD_API void copyMapWord(const TensorAtom &atom, const Pointer &map, const Scalar &word,
                              SourceLoc at = SourceLoc::here());
/// By one thread: address, extents and strides of the map become those of `tensor`, which has the
/// modes of the atom's.
FAIRLEAD_API void updateMap(const TensorAtom &atom, const Tensor &tensor, const Pointer &map,
                            SourceLoc at = SourceLoc::here());
/// After changes in global memory: others of the device see them once they have acquired.
FAIRLEAD_API void releaseMap(SourceLoc at = SourceLoc::here());
/// By all of a warp: publishes a map that was changed in shared memory as one in global memory.
FAIRLEAD_API void releaseMap(const Pointer &global, const Pointer &shared,
                             SourceLoc at = SourceLoc::here());
/// Before copies by a map that others changed.
FAIRLEAD_API void acquireMap(const Pointer &map, SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
