# Strings, arrays and hashes that come and go.
use strict; use warnings;
my $total = 0;
for my $round (1 .. 5) {
  my %table;
  $table{"key $_"} = [$_, "x" x ($_ % 200), {round => $round}] for 1 .. 60000;
  delete $table{$_} for grep { $table{$_}[0] % 3 == 0 } keys %table;
  $total += length join ",", sort map { $_->[1] } values %table;
}
print "$total\n";
