# Writes loo_knn.json beside it: Rscript tests/known/r/loo_knn.R (class 7.3-21). Leave-one-out nearest neighbours on the
# iris of R, whose rows are written too.
library(class)
X <- as.matrix(iris[, 1:4])
truth <- as.integer(iris$Species) - 1
row <- function(k) {
  said <- as.integer(knn.cv(X, iris$Species, k = k, use.all = TRUE)) - 1
  sprintf('  {"k": %d, "predicted": [%s]}', k, paste(said, collapse = ", "))
}
set.seed(1)
cat("{\n", '"class": "', as.character(packageVersion("class")), '",\n"X": [', paste(apply(X, 1, function(r)
  sprintf("[%s]", paste(format(r, trim = TRUE), collapse = ", "))), collapse = ", "), '],\n"y": [', paste(truth, collapse = ", "),
  '],\n"runs": [\n', paste(sapply(c(1, 3, 5, 7), row), collapse = ",\n"), "\n]\n}\n", sep = "", file = "tests/known/r/loo_knn.json")
