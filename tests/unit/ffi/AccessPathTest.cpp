/// Paths into objects.
#include <gtest/gtest.h>

#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/reflection/access_path.h"

using namespace tvm::ffi;
using tvm::ffi::reflection::AccessKind;
using tvm::ffi::reflection::AccessPath;
using tvm::ffi::reflection::AccessStep;

namespace {

TEST(AccessPath, ExtendsAndReads) {
  AccessPath root = AccessPath::Root();
  AccessPath path = root->Attr("a")->ArrayItem(3)->MapItem("k")->MapItemMissing(1.5);
  EXPECT_EQ(path->depth, 4);
  EXPECT_FALSE(root->GetParent().has_value());
  EXPECT_EQ((*path->GetParent())->depth, 3);
  Array<AccessStep> steps = path->ToSteps();
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0]->kind, AccessKind::kAttr);
  EXPECT_EQ(steps[3]->kind, AccessKind::kMapItemMissing);
  EXPECT_EQ(steps[1]->key.cast<int64_t>(), 3);
  EXPECT_EQ(std::string(ReprPrint(path)), R"(<root>.a[3]["k"][<missing:1.5>])");
}

TEST(AccessPath, Compares) {
  AccessPath path = AccessPath::Root()->Attr("a")->ArrayItem(3);
  AccessPath same = AccessPath::FromSteps(path->ToSteps());
  EXPECT_TRUE(path->PathEqual(same));
  EXPECT_FALSE(path->PathEqual(AccessPath::Root()->Attr("a")->ArrayItem(4)));
  EXPECT_TRUE(AccessPath::Root()->IsPrefixOf(path));
  EXPECT_TRUE(AccessPath::Root()->Attr("a")->IsPrefixOf(path));
  EXPECT_FALSE(AccessPath::Root()->Attr("b")->IsPrefixOf(path));
  EXPECT_FALSE(path->IsPrefixOf(AccessPath::Root()));
  EXPECT_FALSE(AccessStep::Attr("a")->StepEqual(AccessStep::AttrMissing("a")));
}

} // namespace
