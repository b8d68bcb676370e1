import type { ModelUsage } from '../../domain/care.ts'
import type { Queryable } from '../database.ts'

/** Adds to what a day, a model and a purpose took. */
export async function addModelUsage(q: Queryable, bankId: number, usage: ModelUsage): Promise<void> {
  await q.execute(
    `insert into model_usage (bank_id, day, model_id, purpose, calls, input_tokens, output_tokens, cost_usd)
     values ($1, $2::date, $3, $4, $5, $6, $7, $8)
     on conflict (bank_id, day, model_id, purpose) do update
       set calls = model_usage.calls + excluded.calls,
           input_tokens = model_usage.input_tokens + excluded.input_tokens,
           output_tokens = model_usage.output_tokens + excluded.output_tokens,
           cost_usd = model_usage.cost_usd + excluded.cost_usd`,
    [
      bankId,
      usage.day,
      usage.modelId,
      usage.purpose,
      usage.calls,
      usage.inputTokens,
      usage.outputTokens,
      usage.costUsd,
    ],
  )
}

/** What a bank spent on a day, all models and purposes together. */
export async function modelSpendingOf(
  q: Queryable,
  bankId: number,
  day: string,
): Promise<{ readonly tokens: number; readonly costUsd: number }> {
  const [row] = await q.query<{ tokens: number; costUsd: number }>(
    `select coalesce(sum(input_tokens + output_tokens), 0)::float8 as tokens, coalesce(sum(cost_usd), 0) as "costUsd"
     from model_usage where bank_id = $1 and day = $2::date`,
    [bankId, day],
  )
  return row ?? { tokens: 0, costUsd: 0 }
}

/** What a bank spent on a day, by model and purpose. */
export async function modelUsageOf(
  q: Queryable,
  bankId: number,
  day: string,
): Promise<readonly ModelUsage[]> {
  return q.query<ModelUsage>(
    `select to_char(day, 'YYYY-MM-DD') as day, model_id as "modelId", purpose, calls,
            input_tokens as "inputTokens", output_tokens as "outputTokens", cost_usd as "costUsd"
     from model_usage where bank_id = $1 and day = $2::date order by model_id, purpose`,
    [bankId, day],
  )
}
