# Writes `repeat N TEXT` as N lines, with the line's number from 0 on in place of `#`, and the next number in place of `#+1`.
/^ *repeat [0-9]/ {
  text = $0
  sub(/^ *repeat [0-9]+ /, "  ", text)
  for (i = 0; i < $2; i++) {
    line = text
    gsub(/#\+1/, i + 1, line)
    gsub(/#/, i, line)
    print line
  }
  next
}
{ print }
