/** Variables of the environment that concern the command line alone; they are no settings. */
export interface TerminalPreferences {
  /** By NO_COLOR and FORCE_COLOR; null when neither says anything. */
  readonly color: boolean | null
  /** PROLEPSIS_DEBUG: print stacks of unexpected errors. */
  readonly debug: boolean
}

export const DEBUG_VARIABLE = 'PROLEPSIS_DEBUG'

/** FORCE_COLOR wins over NO_COLOR, as in Node itself; `0` and `false` switch off. An empty variable says nothing. */
export function terminalPreferences(
  env: Readonly<Record<string, string | undefined>> = process.env,
): TerminalPreferences {
  const { FORCE_COLOR: force = '', NO_COLOR: no = '' } = env
  const isOn = (value: string): boolean => !/^(0|false|no|off)?$/i.test(value.trim())
  const color = force !== '' ? isOn(force) : no !== '' ? false : null
  return { color, debug: isOn(env[DEBUG_VARIABLE] ?? '') }
}
