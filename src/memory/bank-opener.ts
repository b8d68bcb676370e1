import { isDeepStrictEqual } from 'node:util'
import type { SpaceSettings } from '../domain/embedder.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { checkBankName, createBank, requireBank, requireSpace } from '../maintain/banks.ts'
import type { BankStore } from '../store/bank-store.ts'
import { spaceStates } from '../store/queries/bank-spaces.ts'
import { findBank } from '../store/queries/banks.ts'
import { bankStanding } from '../store/queries/spaces.ts'
import type { Engine } from './engine.ts'

/** What a call needs of its bank. */
export interface BankNeed {
  /** Make the bank when it is missing. */
  readonly create: boolean
  /** Its vectors must be of the memory's own model; `by-mode`: unless the bank's own mode is of words alone. */
  readonly vectors: boolean | 'by-mode'
  /** It must be there now: a write must not go to a bank that another process has deleted or moved to another model. */
  readonly fresh: boolean
}

/** How long a call that only reads trusts what is remembered of a bank. */
const MAX_AGE_MS = 1_000

interface Opened {
  readonly opening: Promise<BankStore>
  checkedAt: number
}

/** Opens banks by name and remembers them. */
export interface BankOpener {
  /** @throws ProlepsisError BANK_NOT_FOUND, MODEL_MISMATCH */
  open(name: string, need: BankNeed): Promise<BankStore>
  /** Makes the bank unless it is there, or the memory is read-only. */
  ensure(name: string): Promise<void>
  /** Forgets what is remembered of a bank: it was deleted, configured, or moved to another vector space. */
  invalidate(name: string): void
}

export function createBankOpener(engine: Engine): BankOpener {
  const opened = new Map<string, Opened>()

  const ensure = async (name: string): Promise<void> => {
    const { database, clock, resolved } = engine
    if (resolved.settings.readOnly || (await findBank(database, name)) !== null) return
    const { modelId, dimension } = await engine.embedder.identity()
    const { language } = resolved.settings
    const bank = { name, language, settings: {}, model: { modelId, dimension }, now: new Date(clock.now()) }
    // null when another process was faster: then it is there
    await createBank(database, bank)
  }

  const find = async (name: string, create: boolean): Promise<BankStore> => {
    const { database } = engine
    if (create) await ensure(name)
    const bank = await requireBank(database, name)
    const space = await requireSpace(database, bank)
    return {
      database,
      bankId: bank.bankId,
      bank: name,
      language: bank.language,
      space,
      settings: bank.settings,
    }
  }

  const remember = (name: string, create: boolean): Opened => {
    const entry: Opened = { opening: find(name, create), checkedAt: engine.clock.now() }
    opened.set(name, entry)
    entry.opening.catch(() => forget(name, entry))
    return entry
  }

  const forget = (name: string, entry: Opened): void => {
    if (opened.get(name) === entry) opened.delete(name)
  }

  /** Whether the bank is still there, in the space and with the settings that are remembered. */
  const stands = async (entry: Opened, store: BankStore, fresh: boolean): Promise<boolean> => {
    const now = engine.clock.now()
    if (!fresh && now >= entry.checkedAt && now - entry.checkedAt < MAX_AGE_MS) return true
    const standing = await bankStanding(store.database, store.bankId)
    entry.checkedAt = now
    return (
      standing?.spaceId === store.space.spaceId && isDeepStrictEqual(standing.settings, store.settings ?? {})
    )
  }

  const openStanding = async (name: string, need: BankNeed): Promise<BankStore> => {
    for (;;) {
      const known = opened.get(name)
      if (known === undefined) return remember(name, need.create).opening
      const store = await known.opening.catch((error: unknown) => {
        // it was opened by a call that must not make the bank: this one may
        if (!need.create) throw error
        return null
      })
      if (store !== null && (await stands(known, store, need.fresh))) return store
      forget(name, known)
    }
  }

  return {
    ensure,
    async open(name, need) {
      checkBankName(name)
      const store = await openStanding(name, need)
      const words = need.vectors === 'by-mode' && store.settings?.mode === 'lexical'
      if (need.vectors !== false && !words) await assertModel(engine, store)
      return store
    },
    invalidate(name) {
      opened.delete(name)
    },
  }
}

async function assertModel(engine: Engine, store: BankStore): Promise<void> {
  if ((await engine.embedders.of(store.space)) === null) throw await mismatch(engine, store)
}

/** The memory has not the model of the bank; where a migration noted under which settings one has it, they are told. */
export async function mismatch(
  engine: Engine,
  { database, bankId, bank, space }: BankStore,
): Promise<ProlepsisError> {
  const { modelId, dimension } = await engine.embedder.identity(space)
  const noted = (await spaceStates(database, bankId)).find(({ spaceId }) => spaceId === space.spaceId)
  const how = toSet(noted?.settings ?? null)
  return new ProlepsisError(
    'MODEL_MISMATCH',
    `The bank "${bank}" was filled with ${space.modelId} (${space.dimension} dimensions), not with ${modelId} (${dimension}).`,
    {
      hint: `${how}, move the bank to this one with \`prolepsis embedder migrate\` or at once with \`prolepsis rebuild-index --reembed --bank ${bank}\`, or, after a cut-over, go back with \`prolepsis embedder back-out\`.`,
      details: { bank, ofBank: { ...space }, ofMemory: { modelId, dimension } },
    },
  )
}

function toSet(settings: SpaceSettings | null): string {
  if (settings === null)
    return 'Set that model (embedder, model_dir), or give it (createMemory({ embedder }))'
  const { embedder, embedderBaseUrl, modelDir } = settings
  const set = Object.entries({ embedder, embedder_base_url: embedderBaseUrl, model_dir: modelDir })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} = "${value}"`)
  if (set.length > 0) return `Set ${set.join(', ')} for that model`
  return 'Leave embedder, embedder_base_url and model_dir unset for that model'
}
