import { ProlepsisError } from '../domain/errors.ts'
import { checkBankName, createBank, requireBank, requireSpace } from '../maintain/banks.ts'
import type { BankStore } from '../store/bank-store.ts'
import { findBank } from '../store/queries/banks.ts'
import type { Engine } from './engine.ts'

/** What a call needs of its bank. */
export interface BankNeed {
  /** Make the bank when it is missing. */
  readonly create: boolean
  /** Its vectors must be of the memory's own model. */
  readonly vectors: boolean
}

/** Opens banks by name and remembers them. */
export interface BankOpener {
  /** @throws ProlepsisError BANK_NOT_FOUND, MODEL_MISMATCH */
  open(name: string, need: BankNeed): Promise<BankStore>
  /** Makes the bank unless it is there, or the memory is read-only. */
  ensure(name: string): Promise<void>
  /** Forgets what is remembered of a bank: it was deleted, or moved to another vector space. */
  invalidate(name: string): void
}

export function createBankOpener(engine: Engine): BankOpener {
  const opened = new Map<string, Promise<BankStore>>()

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
    return { database, bankId: bank.bankId, bank: name, language: bank.language, space }
  }

  return {
    ensure,
    async open(name, need) {
      checkBankName(name)
      let opening = opened.get(name)
      if (opening === undefined) {
        opening = find(name, need.create)
        opened.set(name, opening)
        const mine = opening
        mine.catch(() => {
          if (opened.get(name) === mine) opened.delete(name)
        })
      }
      const store = await opening
      if (need.vectors) await assertModel(engine, store)
      return store
    },
    invalidate(name) {
      opened.delete(name)
    },
  }
}

async function assertModel(engine: Engine, { bank, space }: BankStore): Promise<void> {
  const { modelId, dimension } = await engine.embedder.identity()
  if (modelId === space.modelId && dimension === space.dimension) return
  throw new ProlepsisError(
    'MODEL_MISMATCH',
    `The bank "${bank}" was filled with ${space.modelId} (${space.dimension} dimensions), not with ${modelId} (${dimension}).`,
    {
      hint: `Use that model again, or move the bank to this one with \`prolepsis rebuild-index --reembed --bank ${bank}\` (rebuildIndex({ reembed: true })).`,
      details: { bank, ofBank: { ...space }, ofMemory: { modelId, dimension } },
    },
  )
}
