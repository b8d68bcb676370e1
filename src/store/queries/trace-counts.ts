import type { TraceCounts } from '../../domain/care.ts'
import type { Queryable } from '../database.ts'

/** What the trace counts since a time. */
export async function traceCounts(
  q: Queryable,
  bankId: number,
  since: Date,
): Promise<Omit<TraceCounts, 'formulated' | 'standIns'>> {
  const counted = await q.query<
    Omit<TraceCounts, 'fallbackRate' | 'formulated' | 'standIns'> & { formulated: number }
  >(
    `select recalls, retains, answers, "modelCalls", "modelErrors", "modelTokens", "costUsd", formulated, fallbacks,
            "recallErrors" + "retainErrors" + "answerErrors" + "jobErrors" as errors
     from (select count(*) as recalls, count(error_code) as "recallErrors"
           from recall_events where bank_id = $1 and at >= $2) as r,
          (select count(*) as retains, count(error_code) as "retainErrors"
           from retain_events where bank_id = $1 and at >= $2) as t,
          (select count(*) as answers, count(error_code) as "answerErrors"
           from answer_events where bank_id = $1 and at >= $2) as a,
          (select count(*) filter (where event in ('failed', 'dead')) as "jobErrors"
           from job_events where bank_id = $1 and at >= $2) as j,
          (select count(*) as "modelCalls", count(error_code) as "modelErrors",
                  coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0)::bigint as "modelTokens",
                  coalesce(sum(cost_usd), 0)::double precision as "costUsd"
           from model_calls where bank_id = $1 and at >= $2) as m,
          (select count(*) filter (where by = 'model' or error_kind is not null) as formulated,
                  count(*) filter (where error_kind in ('empty', 'prose', 'malformed', 'schema')) as fallbacks
           from formulate_events where bank_id = $1 and at >= $2) as f`,
    [bankId, since],
  )
  // a row of counts comes always
  const { formulated, ...counts } = counted[0]!
  return { ...counts, fallbackRate: formulated === 0 ? null : counts.fallbacks / formulated }
}
