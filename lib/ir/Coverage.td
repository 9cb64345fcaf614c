// Notes of tracing for the coverage of a program.
#ifndef FAIRLEAD_LIB_IR_COVERAGE_TD_
#define FAIRLEAD_LIB_IR_COVERAGE_TD_

include "ir/Base.td"

def CoverEvent : Fairlead_Enum<"CoverEvent", "a step of a function's execution, as FairleadCoverEvent", [
  I32EnumAttrCase<"Enter", 0, "enter">,
  I32EnumAttrCase<"Line", 1, "line">,
  I32EnumAttrCase<"Iterate", 2, "iterate">,
  I32EnumAttrCase<"LoopEnd", 3, "loop_end">,
  I32EnumAttrCase<"Break", 4, "break">,
  I32EnumAttrCase<"Return", 5, "return">,
  I32EnumAttrCase<"End", 6, "end">
]>;
def CoverEventAttr : Fairlead_EnumAttr<CoverEvent, "cover_event">;

def Fairlead_CoverOp : Fairlead_Op<"cover", [StaysInPlace]> {
  let summary = "Reports that a thread executes a line of the traced program";
  let description = [{
    `frame` is the number of the traced call of a function that `line` of `file` belongs to.
  }];
  let arguments = (ins CoverEventAttr:$event, StrAttr:$file, I32Attr:$frame, I32Attr:$line);
  let assemblyFormat = "$event `line` $line `frame` $frame `of` $file attr-dict";
}

#endif // FAIRLEAD_LIB_IR_COVERAGE_TD_
