import type { RegenerateOptions, RegenerateSelector } from '../domain/questions.ts'
import { checkKeys } from '../maintain/check-options.ts'
import type { Questions } from '../memory-api.ts'
import type { Prices } from '../retain/questions/regenerate.ts'
import { awaitEnriched, gather, gathering, readAwait } from './await-enriched.ts'
import { callOn, type Scope } from './scope.ts'

/** The calls on the questions that lead to a bank's chunks. */
export function questionCalls(scope: Scope): Questions {
  const { engine } = scope
  const prices = (): Prices => {
    const { inputPrice, outputPrice } = engine.resolved.settings
    return { input: inputPrice, output: outputPrice }
  }
  const regenerate = async (options: RegenerateOptions): ReturnType<Questions['regenerate']> => {
    checkKeys(options, REGENERATE, 'questions.regenerate')
    const { waits, onProgress } = readAwait(options, 'onProgress')
    const gathered = gather()
    const since = new Date(engine.clock.now())
    const { estimate, jobs } = await callOn(scope, 'write', async (deps) => {
      const { regenerate: put } = await import('../retain/questions/regenerate.ts')
      return put(gathering(deps, gathered), options, prices(), since)
    })
    if (!waits) return { ...estimate, jobs }
    const enrichment = await awaitEnriched(scope, gathered, { signal: options.signal, onProgress })
    return { ...estimate, jobs, enrichment }
  }
  return {
    list: (target, options = {}) =>
      callOn(scope, 'read', async ({ store }) => {
        checkKeys(options, ['origin'], 'questions.list')
        const { listQuestions } = await import('../retain/questions/list-questions.ts')
        return listQuestions(store, target, options.origin)
      }),
    add: (target, questions) =>
      callOn(scope, 'write', async (deps) => {
        const { addQuestions } = await import('../retain/questions/change-questions.ts')
        return addQuestions(deps, target, questions)
      }),
    edit(ref, which, question) {
      const meant = { cue: null }
      return callOn(scope, 'write', async (deps) => {
        const { editQuestion } = await import('../retain/questions/change-questions.ts')
        await editQuestion(deps, ref, which, question, meant)
      })
    },
    regenerate: Object.assign(regenerate, {
      estimate: (selector: RegenerateSelector) =>
        callOn(scope, 'read', async (deps) => {
          checkKeys(selector, REGENERATE, 'questions.regenerate.estimate')
          const { estimateRegenerate } = await import('../retain/questions/regenerate.ts')
          return estimateRegenerate(deps, selector, prices())
        }),
    }),
  }
}

const REGENERATE = ['all', 'await', 'missing', 'onProgress', 'prompts', 'signal', 'source']
