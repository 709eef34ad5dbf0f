# Writes independent.json beside it: Rscript tests/known/r/independent.R (R 4.2.2, pROC 1.18.0). Evaluations of different
# rows: the first 400 rows of bad_debt.csv against the others, and counts of two samples.
library(pROC)
rows <- read.csv("src/calipers/datasets/bad_debt.csv")
first <- rows[1:400, ]; second <- rows[401:nrow(rows), ]
curve <- function(r) roc(r$truth, r$score, levels = c("GOOD", "BAD"), direction = "<")
a <- curve(first); b <- curve(second)
areas <- roc.test(a, b, method = "delong", paired = FALSE)
squares <- function(r) (as.numeric(r$truth == "BAD") - r$score)^2
means <- t.test(squares(second), squares(first))
lines <- sprintf('  "areas": {"values": [%.15g, %.15g], "variances": [%.15g, %.15g], "D": %.15g, "p": %.15g}',
  auc(a), auc(b), var(a), var(b), areas$statistic, areas$p.value)
lines <- c(lines, sprintf('  "brier": {"t": %.15g, "df": %.15g, "stderr": %.15g, "difference": %.15g}',
  means$statistic, means$parameter, means$stderr, means$estimate[1] - means$estimate[2]))
counts <- list(c(56, 70, 48, 80), c(9, 10, 3, 10), c(122, 200, 288, 400), c(5, 56, 1, 29))
each <- sapply(counts, function(x) {
  t <- suppressWarnings(prop.test(x[c(1, 3)], x[c(2, 4)], correct = FALSE))
  sprintf('    {"counts": [%d, %d, %d, %d], "X2": %.15g, "p": %.15g}', x[1], x[2], x[3], x[4], t$statistic, t$p.value)
})
lines <- c(lines, paste0('  "shares": [\n', paste(each, collapse = ",\n"), "\n  ]"))
writeLines(c("{", paste(lines, collapse = ",\n"), "}"), "tests/known/r/independent.json")
