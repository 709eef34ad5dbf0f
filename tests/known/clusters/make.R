# Writes r.json beside it: Rscript tests/known/clusters/make.R (R 4.2.2, fpc 2.2-10, mclust 6.0.0). The embedded flowers,
# by their petals, in clusters of hierarchical clustering.
library(fpc)
library(mclust)
rows <- read.csv("src/calipers/datasets/flowers.csv")
x <- as.matrix(rows[, c("length", "width")])
truth <- as.integer(factor(rows$species))
cases <- sapply(list(c("average", 3), c("complete", 4), c("single", 6), c("ward.D2", 9)), function(how) {
  labels <- cutree(hclust(dist(x), how[1]), as.integer(how[2]))
  sapply(c("euclidean", "manhattan"), function(metric) {
    s <- cluster.stats(dist(x, metric), labels, truth)
    values <- sprintf('"silhouette": %.15g, "dunn": %.15g, "adjusted_rand": %.15g, "variation_of_information": %.15g',
      s$avg.silwidth, s$dunn, adjustedRandIndex(truth, labels), s$vi)
    squares <- sprintf(', "calinski_harabasz": %.15g, "inertia": %.15g', s$ch, s$within.cluster.ss)
    stopifnot(abs(s$corrected.rand - adjustedRandIndex(truth, labels)) < 1e-12)
    sprintf('  {"how": "%s", "distance": "%s", "labels": [%s],\n   "of_clusters": [%s],\n   "values": {%s%s}}', how[1], metric,
      paste(labels, collapse = ", "), paste(sprintf("%.15g", s$clus.avg.silwidths), collapse = ", "), values, if (metric == "euclidean") squares else "")
  })
})
writeLines(c("[", paste(cases, collapse = ",\n"), "]"), "tests/known/clusters/r.json")
