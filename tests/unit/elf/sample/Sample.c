__attribute__((visibility("default"))) int fairleadSampleValue = 3;
__attribute__((visibility("default"))) int fairleadSample(int x) { return x + fairleadSampleValue; }
