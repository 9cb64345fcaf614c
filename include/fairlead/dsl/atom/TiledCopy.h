/// Tiled copies: a copy atom repeated over threads and values until it covers a tile.
#pragma once

#include "fairlead/dsl/atom/CopyAtom.h"

namespace fairlead::dsl {

class TiledMma;

/// Assigns the elements of a tile to threads that move them by a copy atom.
class FAIRLEAD_API TiledCopy {
public:
  /// `elements`: (thread, value) -> linear coordinate in the tile that `tiler` cuts out, an entry
  /// for each mode. Throws fairlead::Error (TypeError) for numbers of threads or values
  /// that are no multiples of the atom's.
  TiledCopy(const CopyAtom &atom, const layout::Layout &elements, const layout::Tiler &tiler,
            SourceLoc at = SourceLoc::here());
  /// `threads`: the layout of threads; `values`: the layout of each thread's neighbouring values.
  /// Throws fairlead::Error (ValueError, LayoutOperation) for layouts not known to be one-to-one.
  static TiledCopy ofThreadsAndValues(const CopyAtom &atom, const layout::Layout &threads,
                                      const layout::Layout &values,
                                      SourceLoc at = SourceLoc::here());
  /// ofThreadsAndValues with loads and stores of `together` elements at a time. Also throws
  /// fairlead::Error (ValueError, LayoutOperation) if the number of values is not a multiple of
  /// `together`.
  TiledCopy(const layout::Layout &threads, const layout::Layout &values, int together = 1);

  /// Moves the operand's fragments of a tiled MMA.
  static TiledCopy ofA(const CopyAtom &atom, const TiledMma &mma);
  static TiledCopy ofB(const CopyAtom &atom, const TiledMma &mma);
  static TiledCopy ofC(const CopyAtom &atom, const TiledMma &mma);
  /// ofC with a tile as small as one copy atom fills. Throws fairlead::Error (TypeError)
  /// if a thread has fewer values than the atom.
  static TiledCopy ofAtomC(const CopyAtom &atom, const TiledMma &mma);
  /// Moves the values that the other copy's threads have in their sources, or in their
  /// destinations.
  static TiledCopy ofSource(const CopyAtom &atom, const TiledCopy &other);
  static TiledCopy ofDestination(const CopyAtom &atom, const TiledCopy &other);
  /// `elements`: (thread, value) -> offset in the memory that `data` lays out.
  static TiledCopy cotiled(const CopyAtom &atom, const layout::Layout &elements,
                           const layout::Layout &data, SourceLoc at = SourceLoc::here());

  const CopyAtom &atom() const { return atom_; }
  const layout::Layout &elements() const { return elements_; }
  const layout::Tiler &tiler() const { return tiler_; }
  /// The extents of a tile.
  layout::IntTuple tile() const;
  layout::Int size() const;
  /// `elements` as the atom's sources, and destinations, hold them.
  layout::Layout sourceElements() const;
  layout::Layout destinationElements() const;

  /// The elements of a thread: ((values of the atom, atoms), tiles of mode 0, tiles of mode 1,
  /// ...). Of data or of coordinates.
  Tensor partitionS(const Tensor &tensor, const Scalar &thread,
                    SourceLoc at = SourceLoc::here()) const;
  Tensor partitionD(const Tensor &tensor, const Scalar &thread,
                    SourceLoc at = SourceLoc::here()) const;
  /// partitionS, of atoms whose sources and destinations are divided alike.
  Tensor partition(const Tensor &tensor, const Scalar &thread,
                   SourceLoc at = SourceLoc::here()) const {
    return partitionS(tensor, thread, at);
  }
  /// A fragment, with a thread's values of another partition in mode 0, nested as this copy's
  /// partitions are; the same for all threads.
  Tensor retile(const Tensor &fragment, SourceLoc at = SourceLoc::here()) const;

  std::string str() const;

private:
  layout::Layout partitioned(const layout::Layout &tiles, const layout::Layout &side) const;
  Tensor part(const Tensor &tensor, const layout::Layout &side, const Scalar &thread) const;

  CopyAtom atom_;
  layout::Layout elements_;
  layout::Tiler tiler_;
};

template <> struct ArgumentTraits<TiledCopy> : KnownArgument<TiledCopy> {};

} // namespace fairlead::dsl
