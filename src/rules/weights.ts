/**
 * Reads the weights of a header such as Accept or Accept-Language (RFC 9110, section 12.4.2), by what it names, in lower
 * case; an invalid weight is 0.
 */
export function readWeights(header: string | string[] | undefined): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of String(header ?? '')
    .toLowerCase()
    .split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (name !== '') weights.set(name, quality === undefined ? 1 : Number(quality) || 0)
  }
  return weights
}
