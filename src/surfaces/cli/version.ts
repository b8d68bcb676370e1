import { readFileSync } from 'node:fs'

/** Version in package.json, two folders above both src/surfaces and dist/surfaces. */
export function packageVersion(): string {
  const path = new URL('../../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
  return version
}
