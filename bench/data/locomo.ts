import { readFile } from 'node:fs/promises'

/** One conversation of LoCoMo: sessions of dated turns, and questions with the turns that hold their evidence. */
export interface LocomoConversation {
  readonly id: string
  readonly sessions: readonly LocomoSession[]
  readonly questions: readonly LocomoQuestion[]
}

export interface LocomoSession {
  readonly source: string
  readonly occurredAt: string
  /** `Speaker: words [image: caption]`, one turn after the other. */
  readonly text: string
  readonly turns: readonly LocomoTurn[]
}

export interface LocomoTurn {
  readonly id: string
  readonly startLine: number
  readonly endLine: number
}

export interface LocomoQuestion {
  readonly question: string
  readonly evidence: readonly string[]
  /** 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial */
  readonly category: number
}

interface RawTurn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  readonly blip_caption?: string
}

interface RawConversation {
  readonly sample_id: string
  readonly conversation: Readonly<Record<string, unknown>>
  readonly qa: readonly {
    readonly question: string
    readonly evidence?: readonly string[]
    readonly category: number
  }[]
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

/** `1:56 pm on 8 May, 2023` → ISO, UTC. */
export function parseLocomoDate(text: string): string {
  const match = /^(\d{1,2}):(\d{2})\s*(am|pm)\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})$/i.exec(text.trim())
  const month = match === null ? -1 : MONTHS.indexOf(match[5]!.toLowerCase())
  if (match === null || month < 0) throw new Error(`not a LoCoMo date: ${text}`)
  const hour = (Number(match[1]) % 12) + (match[3]!.toLowerCase() === 'pm' ? 12 : 0)
  return new Date(Date.UTC(Number(match[6]), month, Number(match[4]), hour, Number(match[2]))).toISOString()
}

export async function loadLocomo(path: string): Promise<readonly LocomoConversation[]> {
  const raw = JSON.parse(await readFile(path, 'utf8')) as readonly RawConversation[]
  return raw.map((entry) => ({
    id: entry.sample_id,
    sessions: sessionsOf(entry),
    questions: entry.qa.map((qa) => ({
      question: qa.question,
      evidence: qa.evidence ?? [],
      category: qa.category,
    })),
  }))
}

function sessionsOf(entry: RawConversation): LocomoSession[] {
  const sessions: LocomoSession[] = []
  for (const [key, value] of Object.entries(entry.conversation)) {
    if (!/^session_\d+$/.test(key) || !Array.isArray(value)) continue
    const turns: LocomoTurn[] = []
    const lines: string[] = []
    for (const turn of value as readonly RawTurn[]) {
      const caption = turn.blip_caption === undefined ? '' : ` [image: ${turn.blip_caption}]`
      const said = `${turn.speaker}: ${turn.text}${caption}`.split('\n')
      turns.push({ id: turn.dia_id, startLine: lines.length + 1, endLine: lines.length + said.length })
      lines.push(...said)
    }
    const date = String(entry.conversation[`${key}_date_time`])
    if (lines.length > 0)
      sessions.push({ source: key, occurredAt: parseLocomoDate(date), text: lines.join('\n'), turns })
  }
  return sessions
}

/** Ids of the turns that a span of lines touches. */
export function turnsInSpan(session: LocomoSession, startLine: number, endLine: number): string[] {
  return session.turns
    .filter((turn) => turn.startLine <= endLine && turn.endLine >= startLine)
    .map((turn) => turn.id)
}
