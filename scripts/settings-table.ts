// Writes the table of settings into docs/library.md from the settings themselves: npx tsx scripts/settings-table.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { environmentName, SETTING_NAMES, SETTINGS, type SettingName } from '../src/config/settings.ts'

const PART = /(<!-- settings: [^\n]*-->\n)[\s\S]*?(<!-- end of settings -->)/

/** docs/library.md with the table as the settings are now. */
export function withSettingsTable(document: string): string {
  const rows = SETTING_NAMES.map(
    (name) =>
      `| \`${name}\` | \`${SETTINGS[name].key}\` | \`${environmentName(name)}\` | ${shown(name)} | ${SETTINGS[name].meaning} |`,
  )
  const table = [
    '',
    '| option | key in the file | variable | default | meaning |',
    '|---|---|---|---|---|',
    ...rows,
  ]
  return document.replace(
    PART,
    (_whole, before: string, after: string) => `${before}${table.join('\n')}\n\n${after}`,
  )
}

function shown(name: SettingName): string {
  const value = SETTINGS[name].default
  return value === null ? '–' : `\`${value}\``
}

if (import.meta.filename === process.argv[1]) {
  const file = new URL('../docs/library.md', import.meta.url)
  writeFileSync(file, withSettingsTable(readFileSync(file, 'utf8')))
}
