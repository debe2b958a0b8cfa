package dev.pitwall.scale.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.table.DataTable;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TablePlannerTest {
  private static final String HEADER =
      "row_id,model,params,layers,hidden,heads,kv_heads,ffn,vocab,seq_len,gpu,n_gpus,nodes,"
          + "interconnect,strategy,dp,tp,pp,cp,ep,vp,zero_stage,micro_batch,grad_accum,"
          + "global_batch,precision,activation_checkpointing,compile,framework\n";

  private static RowPrediction predict(String cells) {
    return TablePlanner.predict(DataTable.parse(HEADER + cells + "\n")).getFirst();
  }

  @Test
  void aFullyDescribedRowGetsEveryColumn() {
    RowPrediction row =
        predict(
            "a:1,Llama2-7b,,32,4096,32,32,11008,32000,4096,h100_80gb,8,1,,fsdp,8,1,1,1,,,,2,1,16,bf16,none,no,PyTorch"
                + " FSDP1");
    Estimate tokens = row.tokensPerSecondPerGpu();
    assertThat(tokens).isNotNull();
    assertThat(tokens.value()).isBetween(6_000.0, 14_000.0);
    assertThat(tokens.low()).isLessThan(tokens.value());
    assertThat(row.samplesPerSecond() * row.stepSeconds())
        .isCloseTo(16, org.assertj.core.data.Offset.offset(1e-6));
    assertThat(TablePlanner.csv(List.of(row)).lines()).hasSize(2);
  }

  @Test
  void aRowSaysWhyItIsNotJudged() {
    assertThat(predict("a:2,resnet50v1.5,,,,,,,,,a100_80gb,8").notJudged())
        .contains("no plain transformer");
    assertThat(predict("a:3,Llama2-7b,,,,,,,,2048,warp_drive,8").notJudged())
        .contains("warp_drive");
    assertThat(predict("a:4,Llama2-7b,,,,,,,,,h100_80gb,8").notJudged())
        .contains("no sequence length");
    assertThat(predict("a:5,Llama2-7b,,,,,,,,2048,h100_80gb,4,,,,,8,2").notJudged())
        .contains("need more than");
  }

  @Test
  void aColumnOrderOfItsOwnOrMissingColumnsAreNoProblem() {
    RowPrediction row =
        TablePlanner.predict(
                DataTable.parse("n_gpus,gpu,model,seq_len,row_id\n8,H100,llama-3-8b,8192,x:1\n"))
            .getFirst();
    assertThat(row.judgesThroughput()).isTrue();
    assertThat(row.rowId()).isEqualTo("x:1");
  }

  @Test
  void noRowHoweverOddBreaksTheTable() {
    String[] odd = {"", "-3", "0", "1e30", "NaN", "many", "8 or 16", "1000000", "7", "\"a,b\""};
    long seed = 20261129;
    SplittableRandom random = new SplittableRandom(seed);
    int columns = HEADER.split(",").length;
    for (int row = 0; row < 3000; row++) {
      StringBuilder cells = new StringBuilder("odd:" + row);
      for (int column = 1; column < columns; column++) {
        cells.append(',');
        cells.append(
            column == 1 && random.nextBoolean()
                ? "llama-2-7b"
                : column == 10 && random.nextBoolean()
                    ? "h100_80gb"
                    : odd[random.nextInt(odd.length)]);
      }
      RowPrediction prediction = predict(cells.toString());
      Estimate tokens = prediction.tokensPerSecondPerGpu();
      assertThat(tokens == null || (tokens.value() > 0 && Double.isFinite(tokens.value())))
          .as("seed %d: %s", seed, cells)
          .isTrue();
      assertThat(tokens != null || !prediction.notJudged().isEmpty())
          .as("seed %d: %s", seed, cells)
          .isTrue();
    }
  }
}
