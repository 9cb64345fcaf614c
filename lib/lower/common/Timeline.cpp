/// Events of timelines: prints with ir::kTimelineAttribute.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/xxhash.h"

#include "fairlead/Timeline.h"
#include "ir/Attributes.h"
#include "ir/Builders.h"
#include "lower/common/Calls.h"
#include "lower/common/Passes.h"
#include "lower/common/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

constexpr char kSlots[] = "fairlead_timeline_slots";
constexpr unsigned kGlobalMemory = 1, kSharedMemory = 3;
constexpr int kMostWarps = 32, kWordsOfSlot = 2;

static_assert(offsetof(FairleadTimelineBuffer, parts) == 8 &&
              offsetof(FairleadTimelineBuffer, room) == 12 && sizeof(FairleadTimelineBuffer) == 16);
static_assert(offsetof(FairleadTimelinePart, lost) == 24 && sizeof(FairleadTimelinePart) == 32);
static_assert(offsetof(FairleadTimelineEvent, what) == 8 && sizeof(FairleadTimelineEvent) == 24);

/// $0: the variable that points to the buffer, $1: the slots of the block's warps in shared memory:
/// the address of the warp's first event or 0, the room for events, and their number. The first
/// lane of each warp takes a part of the buffer.
constexpr char kBeginText[] = R"({
.reg .pred p; .reg .b32 t, u, w, c, k, a, n, r, s, x; .reg .b64 b, d, g, h;
mov.u32 t, %tid.z; mov.u32 u, %ntid.y; mov.u32 w, %tid.y; mad.lo.u32 t, t, u, w;
mov.u32 u, %ntid.x; mov.u32 w, %tid.x; mad.lo.u32 t, t, u, w;
activemask.b32 k;
and.b32 u, t, 31;
shr.u32 w, t, 5;
setp.ne.u32 p, u, 0;
@p bra begun;
cvt.u32.u64 c, $1;
shl.b32 x, w, 4;
add.u32 c, c, x;
mov.b64 d, 0;
mov.b32 s, 0;
ld.global.b64 b, [$0];
setp.eq.s64 p, b, 0;
@p bra taken;
atom.global.add.u64 g, [b], 1;
ld.global.v2.u32 {n, r}, [b+8];
cvt.u64.u32 h, n;
setp.lt.u64 p, g, h;
@!p bra taken;
mov.b32 s, r;
cvt.u32.u64 a, g;
mad.lo.u32 x, r, 24, 32;
mul.wide.u32 d, a, x;
add.u64 d, d, b;
add.u64 d, d, 48;
mov.u64 g, %gridid; st.global.b64 [d+-32], g;
mov.u32 t, %ctaid.z; mov.u32 u, %nctaid.y; mul.wide.u32 g, t, u;
mov.u32 t, %ctaid.y; cvt.u64.u32 h, t; add.u64 g, g, h;
mov.u32 u, %nctaid.x; cvt.u64.u32 h, u; mul.lo.u64 g, g, h;
mov.u32 t, %ctaid.x; cvt.u64.u32 h, t; add.u64 g, g, h;
st.global.b64 [d+-24], g;
st.global.b32 [d+-16], w;
mov.u32 t, %smid; st.global.b32 [d+-12], t;
taken:
mov.b32 t, 0;
st.shared.b64 [c], d;
st.shared.v2.b32 [c+8], {s, t};
begun:
bar.warp.sync k;
})";

/// $0: the slots as above, $1: FairleadTimelineEvent::what, $2: the payload. The first of the
/// active lanes (p) writes. Predicates instead of branches keep the lanes together.
constexpr char kEventText[] = R"({
.reg .pred p, q, s; .reg .b32 t, u, w, c, i, r; .reg .b64 d, f, g;
activemask.b32 t;
brev.b32 t, t;
clz.b32 t, t;
mov.u32 u, %laneid;
setp.eq.u32 p, t, u;
)";
constexpr char kClockText[] = "@p mov.u64 g, %globaltimer;\n";
/// Other lanes of the warp may be here at the same time, if they took another branch.
constexpr char kRoomText[] = R"(mov.u32 t, %tid.z; mov.u32 u, %ntid.y; mov.u32 w, %tid.y;
mad.lo.u32 t, t, u, w;
mov.u32 u, %ntid.x; mov.u32 w, %tid.x; mad.lo.u32 t, t, u, w;
shr.u32 w, t, 5;
shl.b32 w, w, 4;
cvt.u32.u64 c, $0;
add.u32 c, c, w;
@p atom.shared.add.u32 i, [c+12], 1;
@p ld.shared.v2.b64 {d, f}, [c];
cvt.u32.u64 r, f;
setp.lt.and.u32 q|s, i, r, p;
)";
constexpr char kStoreText[] = R"(setp.ne.and.s64 s, d, 0, s;
@s red.global.add.u32 [d+-8], 1;
mad.wide.u32 d, i, 24, d;
@q st.global.b64 [d], g;
@q st.global.b64 [d+8], $1;
@q st.global.b64 [d+16], $2;
})";

/// A range lasts from the last moment of the event at its begin to the first one of that at its
/// end.
std::string eventText(int64_t kind) {
  const bool begins = kind == kFairleadTimelineBegin || kind == kFairleadTimelineStart;
  return std::string(kEventText) + (begins ? "" : kClockText) + kRoomText +
         (begins ? kClockText : "") + kStoreText;
}

SmallVector<gpu::PrintfOp> eventsIn(Operation *root) {
  SmallVector<gpu::PrintfOp> events;
  root->walk([&](gpu::PrintfOp print) {
    if (print->hasAttr(ir::kTimelineAttribute))
      events.push_back(print);
  });
  return events;
}

/// FairleadTimelineNote describes the text.
std::string textOf(gpu::PrintfOp event) {
  return (event->getParentOfType<gpu::GPUFuncOp>().getName() + "\x1f" + event.getFormat()).str();
}

/// The name's number for GPUs.
uint64_t numberOf(StringRef text) { return llvm::xxh3_64bits(text) >> kFairleadTimelineWhatBits; }

/// The kind and the type of the payload.
int64_t whatOf(gpu::PrintfOp event) {
  const int64_t kind = event->getAttrOfType<IntegerAttr>(ir::kTimelineAttribute).getInt();
  int64_t payload = kFairleadTimelineNone;
  if (!event.getArgs().empty())
    payload =
        event.getArgs()[0].getType().isF64() ? kFairleadTimelineFloat : kFairleadTimelineInteger;
  return kind | payload << 3;
}

Value payloadOf(ImplicitLocOpBuilder &b, gpu::PrintfOp event) {
  if (event.getArgs().empty())
    return i64Constant(b, 0);
  Value payload = event.getArgs()[0];
  return payload.getType().isF64() ? Value(arith::BitcastOp::create(b, b.getI64Type(), payload))
                                   : payload;
}

/// Returns the block's number in the grid, x fastest.
Value linearBlock(ImplicitLocOpBuilder &b) {
  using gpu::BlockIdOp, gpu::Dimension, gpu::GridDimOp;
  auto extended = [&](Value index) -> Value {
    return arith::ExtUIOp::create(b, b.getI64Type(), index);
  };
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  Value planes = times(extended(readIndex<GridDimOp>(b, Dimension::y)),
                       extended(readIndex<BlockIdOp>(b, Dimension::z)));
  Value rows = plus(extended(readIndex<BlockIdOp>(b, Dimension::y)), planes);
  return plus(extended(readIndex<BlockIdOp>(b, Dimension::x)),
              times(extended(readIndex<GridDimOp>(b, Dimension::x)), rows));
}

std::string symbolOf(StringRef text) { return "timeline_name_" + llvm::utohexstr(numberOf(text)); }

/// Emits assembly into the kernels of a device module.
class DeviceEvents {
public:
  explicit DeviceEvents(gpu::GPUModuleOp device)
      : device(device), b(device.getLoc(), device.getContext()) {
    b.setInsertionPointToStart(device.getBody());
    variable(FAIRLEAD_TIMELINE_SYMBOL, b.getI64Type(), b.getI64IntegerAttr(0),
             LLVM::Linkage::External, kGlobalMemory);
    variable(kSlots, LLVM::LLVMArrayType::get(b.getI64Type(), kMostWarps * kWordsOfSlot),
             Attribute(), LLVM::Linkage::Internal, kSharedMemory);
  }

  void begin(gpu::GPUFuncOp kernel) {
    b.setLoc(kernel.getLoc());
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value buffer = LLVM::AddressOfOp::create(b, pointer(kGlobalMemory), FAIRLEAD_TIMELINE_SYMBOL);
    assemble({buffer, slots()}, kBeginText, "l,l,~{memory}");
  }

  void lower(gpu::PrintfOp event) {
    b.setLoc(event.getLoc());
    b.setInsertionPoint(event);
    const uint64_t what =
        numberOf(textOf(event)) << kFairleadTimelineWhatBits | static_cast<uint64_t>(whatOf(event));
    const int64_t kind = event->getAttrOfType<IntegerAttr>(ir::kTimelineAttribute).getInt();
    assemble({slots(), i64Constant(b, static_cast<int64_t>(what)), payloadOf(b, event)},
             eventText(kind), "l,l,l,~{memory}");
    event.erase();
  }

private:
  void variable(StringRef symbol, Type type, Attribute value, LLVM::Linkage linkage,
                unsigned space) {
    LLVM::GlobalOp::create(b, type, /*isConstant=*/false, linkage, symbol, value, /*alignment=*/16,
                           space);
  }

  Type pointer(unsigned space) { return LLVM::LLVMPointerType::get(b.getContext(), space); }

  Value slots() {
    Value slots = LLVM::AddressOfOp::create(b, pointer(kSharedMemory), kSlots);
    return LLVM::PtrToIntOp::create(b, b.getI64Type(), slots);
  }

  void assemble(ArrayRef<Value> operands, StringRef text, StringRef constraints) {
    LLVM::InlineAsmOp::create(b, TypeRange(), operands, text, constraints,
                              /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  }

  gpu::GPUModuleOp device;
  ImplicitLocOpBuilder b;
};

/// Texts of the events of each kernel.
using KernelTexts = llvm::MapVector<StringAttr, SetVector<StringAttr>>;

/// Tells the names of a kernel's events before each of its launches.
void tellNames(ModuleOp module, const KernelTexts &texts) {
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto kernelTexts = texts.find(launch.getKernelName());
    if (kernelTexts == texts.end())
      return;
    ImplicitLocOpBuilder b(launch.getLoc(), launch);
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    for (StringAttr text : kernelTexts->second) {
      const std::string symbol = symbolOf(text);
      ir::defineBytesAround(launch, symbol, text.getValue().str() + '\0', /*isConstant=*/true);
      callRuntime(b, runtime::FairleadTimelineName,
                  {i64Constant(b, static_cast<int64_t>(numberOf(text))),
                   LLVM::AddressOfOp::create(b, pointer, symbol)});
    }
  });
}

} // namespace

void lowerTimelineForCpu(ModuleOp module) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  for (gpu::PrintfOp event : eventsIn(module)) {
    const std::string text = textOf(event), symbol = symbolOf(text);
    ir::defineBytesAround(event, symbol, std::string(8, '\0') + text + '\0', /*isConstant=*/false);
    b.setInsertionPoint(event);
    b.setLoc(event.getLoc());
    callRuntime(b, runtime::FairleadTimelineNote,
                {LLVM::AddressOfOp::create(b, pointer, symbol), i32Constant(b, whatOf(event)),
                 payloadOf(b, event), linearThread(b), linearBlock(b)});
    event.erase();
  }
}

void lowerTimelineForCuda(ModuleOp module) {
  KernelTexts texts;
  for (auto device : module.getOps<gpu::GPUModuleOp>()) {
    SmallVector<gpu::PrintfOp> events = eventsIn(device);
    if (events.empty())
      continue;
    DeviceEvents lowering(device);
    for (gpu::PrintfOp event : events) {
      auto kernel = event->getParentOfType<gpu::GPUFuncOp>();
      auto [known, fresh] = texts.try_emplace(kernel.getNameAttr());
      known->second.insert(StringAttr::get(module.getContext(), textOf(event)));
      if (fresh)
        lowering.begin(kernel);
      lowering.lower(event);
    }
  }
  if (!texts.empty())
    tellNames(module, texts);
}

} // namespace fairlead::lower
