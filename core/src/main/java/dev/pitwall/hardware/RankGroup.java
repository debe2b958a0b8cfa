package dev.pitwall.hardware;

/// A process group as the network sees it.
///
/// @param ranks how many ranks communicate
/// @param ranksInNode how many of them share a node
/// @param groupsSharingNode how many groups of the same kind send through one node's NICs at the
///     same time
public record RankGroup(int ranks, int ranksInNode, int groupsSharingNode) {
  public RankGroup {
    if (ranks < 1 || ranksInNode < 1 || ranksInNode > ranks || groupsSharingNode < 1) {
      throw new IllegalArgumentException(
          "no such group: " + ranks + " ranks, " + ranksInNode + " a node, " + groupsSharingNode);
    }
  }

  /// `ranks` ranks that stand `stride` apart in rank order, on nodes of `gpusPerNode`: stride 1 is
  /// the innermost dimension of the mesh (tensor parallel), a larger stride an outer one.
  public static RankGroup strided(int ranks, int stride, int gpusPerNode) {
    int inNode = Math.max(1, Math.min(ranks, gpusPerNode / Math.max(1, stride)));
    int sharing = Math.max(1, Math.min(stride, gpusPerNode));
    return new RankGroup(ranks, inNode, inNode == ranks ? 1 : sharing);
  }

  public int nodes() {
    return (ranks + ranksInNode - 1) / ranksInNode;
  }
}
