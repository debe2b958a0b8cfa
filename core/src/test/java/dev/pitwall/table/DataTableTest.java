package dev.pitwall.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DataTableTest {
  @Test
  void quotedCellsKeepCommasQuotesAndLineBreaks() {
    DataTable table = DataTable.parse("a,b\n\"1,\"\"x\"\"\n2\",3\n\n# a remark\n4\n");
    assertThat(table.rows()).isEqualTo(2);
    assertThat(table.text(0, "a")).isEqualTo("1,\"x\"\n2");
    assertThat(table.number(1, "b", -1)).isEqualTo(-1);
  }

  @Test
  void aTabInTheHeaderMakesATabSeparatedTable() {
    DataTable table = DataTable.parse("trace\tkind\ngpt2/base\tclean, mostly\n");
    assertThat(table.text(0, "kind")).isEqualTo("clean, mostly");
  }
}
