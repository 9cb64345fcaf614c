int fairleadSampleValue = 3;
int fairleadSample(int x) { return x + fairleadSampleValue; }
