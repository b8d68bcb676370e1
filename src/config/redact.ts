/** The address of a database or an API as it may be shown: password and secret parameters replaced by `***`. */
export function redactUrl(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    // what cannot be parsed may hold a password anywhere
    return '(not a URL: hidden)'
  }
  if (parsed.password !== '') parsed.password = '***'
  // who writes a key into the address of an API writes it there
  if (parsed.protocol.startsWith('http') && parsed.username !== '') parsed.username = '***'
  for (const name of [...parsed.searchParams.keys()]) {
    if (/pass|secret|token|key/i.test(name)) parsed.searchParams.set(name, '***')
  }
  return parsed.toString()
}
