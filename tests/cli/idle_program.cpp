// Allocates nothing.
int main() {}
