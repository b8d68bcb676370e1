/** Stands where a secret was. */
export const MASK = '[masked]'

/**
 * What looks like a secret by its form. Each is linear in the text: no nested repetition. Where a pattern has a group `kept`, that stays.
 */
const SECRETS: readonly RegExp[] = [
  // PEM blocks, whole, or what there is of one that is cut
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\,:.-]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  // headers and the like: Authorization: Bearer …, Proxy-Authorization, X-Api-Key
  /(?<kept>\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest|negotiate)\s{1,4})?)[^\s"',;]{4,}/gi,
  /(?<kept>\bbearer\s{1,4})[A-Za-z0-9._~+/-]{16,}={0,2}/gi,
  // a password within a URL
  /(?<kept>\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@"'<>]{0,200}:)[^\s/@"'<>]{1,500}(?=@)/gi,
  // vendors' forms: OpenAI, Anthropic, Stripe, GitHub, GitLab, Slack, AWS, Google, Hugging Face, npm, Groq, xAI
  /\b(?:sk|pk|rk)[-_](?:[a-z]{2,8}[-_])*[A-Za-z0-9_-]{16,}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\b(?:hf|npm|gsk|xai|dop_v1|shpat|SG)[_.-][A-Za-z0-9_.-]{20,}/g,
  // JSON web tokens
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
  // password=…, "client_secret": "…": by the name before it
  /(?<kept>\b[\w.-]{0,40}(?:password|passwd|passphrase|pwd|secret)[\w.-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[masked\])[^\s"',;&]{3,}/gi,
  // of keys and tokens only what has a digit and some length: "token: the smallest unit" is a sentence
  /(?<kept>\b[\w.-]{0,40}(?:api[-_ ]?key|access[-_ ]?key|token|credential)[\w.-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[masked\])(?=[^\s"',;&]{0,200}\d)[^\s"',;&]{8,}/gi,
]

/**
 * The text with what looks like keys, tokens and passwords replaced by `[masked]`. It goes by form alone: a secret in plain words stays,
 * and a word that looks like one goes.
 */
export function maskSecrets(text: string): string {
  let masked = text
  for (const secret of SECRETS) {
    masked = masked.replace(secret, (...match: unknown[]) => {
      const groups = match.at(-1)
      const kept = typeof groups === 'object' && groups !== null && 'kept' in groups ? groups.kept : ''
      return `${typeof kept === 'string' ? kept : ''}${MASK}`
    })
  }
  return masked
}
