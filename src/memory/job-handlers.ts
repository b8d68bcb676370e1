import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'
import type { Job } from '../domain/jobs.ts'
import { checkPrompts } from '../domain/prompt-files.ts'
import type { JobContext, JobHandler, JobHandlers } from '../jobs/job-handler.ts'
import { NO_USAGE } from '../providers/language-model.ts'
import type { ModelCalls, ModelReply, Spending } from '../providers/model-calls.ts'
import type { EnrichResult } from '../retain/enrich/enrich-result.ts'
import { listJobs } from '../store/queries/jobs.ts'
import type { BankOpener } from './bank-opener.ts'
import { embedJob } from './embed-jobs.ts'
import type { Engine } from './engine.ts'
import { depsFor } from './scope.ts'

/** What does the jobs of each kind. Kinds that this memory cannot do stay in line. */
export function jobHandlers(engine: Engine, opener: BankOpener): JobHandlers {
  const embed: JobHandler = async (job, context) => ({ ...(await embedJob(engine, job, context)) })
  return engine.model.isConfigured
    ? { embed, enrich: (job, context) => enrich(engine, opener, job, context) }
    : { embed }
}

/** A model writes questions of the document's chunks. */
async function enrich(
  engine: Engine,
  opener: BankOpener,
  job: Job,
  context: JobContext,
): Promise<Readonly<Record<string, number>>> {
  // its vectors must be of the memory's own model, and go to the space that the bank is in now
  const store = await opener.open(context.store.bank, { create: false, vectors: true, fresh: true })
  const deps = await depsFor(engine, store)
  const model = await deps.model()
  if (model === null) {
    throw new ProlepsisError('MODEL_NOT_CONFIGURED', 'This memory has no language model.', {
      hint: 'Name one with the setting model (PROLEPSIS_MODEL).',
    })
  }
  if (job.documentId === null) throw new ProlepsisError('INVALID_ARGUMENT', 'The job names no document.')
  const { enrichDocument } = await import('../retain/enrich/enrich-document.ts')
  const counts = (result: EnrichResult) => countsOf(result, job.result)
  const { signal, traceId } = context
  const { anewSince, prompts } = job.payload
  const result = await enrichDocument({ ...deps, model: counted(model, context) }, job.documentId, {
    ...{ signal, traceId, jobId: job.jobId, remaining: await remainingFor(engine, context, job.documentId) },
    ...(typeof anewSince === 'string' ? { anewSince: new Date(anewSince) } : {}),
    ...(prompts === undefined ? {} : { prompts: checkPrompts(prompts, 'prompts', ['questions']) }),
    onProgress: (so) => context.progress(counts(so)),
  })
  engine.people.invalidate(store.bankId)
  engine.upkeep.noteWrite()
  return counts(result)
}

const SUMMED = ['asked', 'reused', 'written', 'kept', 'dropped'] as const

/** Of all attempts: what one wrote, the next does not write again. */
function countsOf(result: EnrichResult, before: Job['result']): Record<string, number> {
  const sums = SUMMED.map((name) => [name, (before[name] ?? 0) + result[name]] as const)
  const reasons = Object.entries(result.droppedBy)
    .map(([reason, n]) => [`dropped:${reason}`, n] as const)
    .map(([name, n]) => [name, (before[name] ?? 0) + n] as const)
    .filter(([, n]) => n > 0)
  return { chunks: result.chunks, ...Object.fromEntries([...sums, ...reasons]) }
}

/** The same calls, each noted in the job's row, those that fail too. */
function counted(model: ModelCalls, context: JobContext): ModelCalls {
  const noted = async <T>(call: Promise<ModelReply<T>>): Promise<ModelReply<T>> => {
    try {
      const reply = await call
      context.spend(reply.usage, reply.calls)
      return reply
    } catch (error) {
      spendOfFailure(error, context)
      throw error
    }
  }
  return {
    ...model,
    generate: (call) => noted(model.generate(call)),
    generateObject: (call) => noted(model.generateObject(call)),
  }
}

/** A call that failed tells what it took, where it came to that. */
function spendOfFailure(error: unknown, context: JobContext): void {
  const spent: unknown = isProlepsisError(error) ? error.details.spent : undefined
  const { calls, ...usage }: Record<string, unknown> = Object(spent)
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
  context.spend(
    {
      ...NO_USAGE,
      inputTokens: number(usage.inputTokens),
      outputTokens: number(usage.outputTokens),
      costUsd: number(usage.costUsd),
    },
    number(calls) ?? 0,
  )
}

/** What may still be spent on the document, whatever job it was spent in; undefined without a limit. */
async function remainingFor(
  { resolved }: Engine,
  { store }: JobContext,
  documentId: number,
): Promise<Spending | undefined> {
  const { documentTokens, documentCostUsd } = resolved.settings
  if (documentTokens === null && documentCostUsd === null) return undefined
  const jobs = await listJobs(store.database, store.bankId, {
    documentIds: [documentId],
    kind: 'enrich',
    limit: 1_000,
  })
  const sum = (of: (spent: Job['spent']) => number): number =>
    jobs.reduce((all, job) => all + of(job.spent), 0)
  const left = (limit: number | null, spent: number): number | null =>
    limit === null ? null : Math.max(limit - spent, 0)
  return {
    tokens: left(
      documentTokens,
      sum((spent) => spent.inputTokens + spent.outputTokens),
    ),
    costUsd: left(
      documentCostUsd,
      sum((spent) => spent.costUsd),
    ),
  }
}
