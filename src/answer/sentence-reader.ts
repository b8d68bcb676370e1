/** What was read of a reply so far: whole values of the outermost object, whatever stands around it. */
export interface PartialReply {
  /** Values of its keys that are whole, the sentences apart. */
  readonly values: ReadonlyMap<string, unknown>
  /** Whether the list of sentences was seen. */
  readonly hasSentences: boolean
}

export interface SentenceReader {
  /** Takes the next piece of the reply, and gives the sentences that became whole with it. */
  push(piece: string): unknown[]
  readonly reply: PartialReply
}

const THINKING = /<think(?:ing)?>/
const THOUGHT = /<\/think(?:ing)?>/

/**
 * Reads `{"status":…,"sentences":[{…},{…}],…}` as it comes, cut anywhere: an element of `sentences` is given once its closing brace has come.
 * Text before the object, fences and thinking between tags are passed over; so is an object that has neither of the keys.
 */
export function createSentenceReader(list = 'sentences'): SentenceReader {
  let text = ''
  /** Where reading goes on. */
  let at = 0
  /** Closing marks that are awaited; empty outside of the object. */
  let open: string[] = []
  let inString = false
  let stringStart = 0
  let key: string | null = null
  let lastString: string | null = null
  let valueStart = -1
  let isList = false
  let elementStart = -1
  let values = new Map<string, unknown>()
  let hasSentences = false
  let ended = false

  /** Where the object begins; -1 when it has not come yet. */
  const findStart = (): number => {
    for (;;) {
      const thinking = THINKING.exec(text.slice(at))
      const brace = text.indexOf('{', at)
      if (thinking !== null && (brace < 0 || at + thinking.index < brace)) {
        const thought = THOUGHT.exec(text.slice(at + thinking.index))
        if (thought === null) return -1
        at += thinking.index + thought.index + thought[0].length
        continue
      }
      if (brace < 0) return -1
      const next = /^\s*(\S)/.exec(text.slice(brace + 1))
      if (next === null) return -1
      if (next[1] === '"') return brace
      at = brace + 1
    }
  }

  const close = (end: number): void => {
    if (key !== null && valueStart >= 0 && !isList) values.set(key, parse(text.slice(valueStart, end)))
    key = null
    valueStart = -1
    isList = false
    lastString = null
  }

  const step = (mark: string, found: unknown[]): void => {
    if (inString) {
      if (mark === '\\') at += 1
      else if (mark === '"') {
        inString = false
        if (open.length === 1 && key === null)
          lastString = String(parse(text.slice(stringStart, at + 1)) ?? '')
        if (isList && open.length === 2 && elementStart < 0)
          found.push(parse(text.slice(stringStart, at + 1)))
      }
      return
    }
    switch (mark) {
      case '"':
        inString = true
        stringStart = at
        return
      case '{':
      case '[':
        if (open.length === 1 && mark === '[' && key === list) {
          isList = true
          hasSentences = true
        } else if (isList && open.length === 2) elementStart = at
        open.push(mark === '{' ? '}' : ']')
        return
      case '}':
      case ']':
        if (open.at(-1) !== mark) return
        if (open.length === 1) close(at)
        open.pop()
        if (isList && open.length === 2 && elementStart >= 0) {
          found.push(parse(text.slice(elementStart, at + 1)))
          elementStart = -1
        }
        return
      case ':':
        if (open.length === 1 && key === null && lastString !== null) {
          key = lastString
          valueStart = at + 1
        }
        return
      case ',':
        if (open.length === 1) close(at)
        return
    }
  }

  return {
    push(piece) {
      text += piece
      const found: unknown[] = []
      while (!ended) {
        if (open.length === 0) {
          const start = findStart()
          if (start < 0) break
          at = start + 1
          open = ['}']
          values = new Map()
        }
        // an escaped letter may be the last that has come
        while (at < text.length && open.length > 0) {
          if (inString && text[at] === '\\' && at + 1 >= text.length) break
          step(text[at] ?? '', found)
          at += 1
        }
        if (open.length > 0) break
        ended = hasSentences || values.has('status')
      }
      return found.filter((one) => one !== undefined)
    },
    get reply() {
      return { values, hasSentences }
    },
  }
}

/** A whole JSON value; line breaks that a model left in its strings are forgiven; undefined when it is none. */
function parse(json: string): unknown {
  for (const text of [json, json.replaceAll(/[\u0000-\u001f]+/g, ' ')]) {
    try {
      return JSON.parse(text)
    } catch {
      // tried without control characters next; what is no JSON then is left out
    }
  }
  return undefined
}
