# Writes delong.json beside it: Rscript tests/known/r/delong.R (pROC 1.18.0). Three models on the rows of bad_debt.csv:
# its score, and two that are the score with the fractional part of a multiple of the row number mixed in, one of them
# rounded so that it has ties.
library(pROC)
rows <- read.csv("src/calipers/datasets/bad_debt.csv")
row <- seq_len(nrow(rows))
scores <- list(
  plain = rows$score,
  mixed = 0.6 * rows$score + 0.4 * ((row * 0.6180339887) %% 1),
  tied = round(0.7 * rows$score + 0.3 * ((row * 0.7548776662) %% 1), 2)
)
curves <- lapply(scores, function(s) roc(rows$truth, s, levels = c("GOOD", "BAD"), direction = "<"))
pairs <- list(c("plain", "mixed"), c("plain", "tied"), c("mixed", "tied"))
lines <- sapply(pairs, function(p) {
  a <- curves[[p[1]]]; b <- curves[[p[2]]]
  both <- roc.test(a, b, method = "delong", paired = TRUE)
  up <- roc.test(a, b, method = "delong", paired = TRUE, alternative = "greater")
  sprintf('  {"first": "%s", "second": "%s", "areas": [%.15g, %.15g], "z": %.15g, "p": %.15g, "greater": %.15g, "covariance": %.15g, "variance": %.15g}',
    p[1], p[2], auc(a), auc(b), both$statistic, both$p.value, up$p.value, cov(a, b, method = "delong"), var(a, method = "delong"))
})
writeLines(c("[", paste(lines, collapse = ",\n"), "]"), "tests/known/r/delong.json")
