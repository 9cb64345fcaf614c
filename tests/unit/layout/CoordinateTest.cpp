#include <gtest/gtest.h>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {
namespace coordinate_test {
namespace {

const char kNames[2] = {};
const Int n = Int::dynamic(&kNames[0]), i = Int::dynamic(&kNames[1]);

TEST(Coordinate, FormsAreInterchangeable) {
  Layout layout = *Layout::make(tuple(3, tuple(2, 4)), tuple(100, tuple(10, 1)));
  // 13 = 1 + 3 * (0 + 2 * 2)
  EXPECT_EQ(crd2idx(13, layout), Int(102));
  EXPECT_EQ(crd2idx(tuple(1, 4), layout), Int(102));
  EXPECT_EQ(crd2idx(tuple(1, tuple(0, 2)), layout), Int(102));
  EXPECT_EQ(idx2crd(13, layout.shape()), tuple(1, tuple(0, 2)));
  EXPECT_EQ(idx2crd(tuple(1, 4), layout.shape()), tuple(1, tuple(0, 2)));
}

TEST(Coordinate, LastModeTakesWhatIsLeft) {
  Layout layout = *Layout::make(tuple(3, 4), tuple(4, 1));
  EXPECT_EQ(idx2crd(13, layout.shape()), tuple(1, 4));
  EXPECT_EQ(crd2idx(13, layout), Int(8));
}

TEST(Coordinate, OfAnotherNesting) {
  Layout layout(tuple(3, tuple(2, 4)));
  EXPECT_EQ(crd2idx(tuple(1, 2, 3), layout), std::nullopt);
  EXPECT_EQ(crd2idx(tuple(tuple(1, 0), 2), layout), std::nullopt);
  EXPECT_EQ(idx2crd(tuple(1), layout.shape()), std::nullopt);
}

TEST(Coordinate, Dynamic) {
  Layout layout = *Layout::make(tuple(n, 2), tuple(1, n));
  EXPECT_EQ(idx2crd(i, layout.shape())->str(), "(?,?)");
  EXPECT_EQ(crd2idx(tuple(i, 0), layout), i);
  EXPECT_EQ(crd2idx(tuple(0, 1), layout), n);
  EXPECT_EQ(crd2idx(n, layout), n) << "coordinate (0,1)";
}

} // namespace
} // namespace coordinate_test
} // namespace fairlead::layout
