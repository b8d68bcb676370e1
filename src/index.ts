/** Prolepsis: memory for LLM agents. Every public name, by hand; test/api/exports.test.ts pins them. */

// answers
export type {
  Answer,
  AnswerSentence,
  AnswerStatus,
  AskAllEstimate,
  AskAllOptions,
  AskAllProgress,
  AskAllResult,
  AskEvent,
  AskOptions,
  AskResult,
  Citation,
  DroppedSentence,
  DropReason,
  ModelSpending,
  QueryResult,
  UnreadPart,
} from './domain/answer.ts'
// care
export type {
  BankInfo,
  BankStats,
  DoctorFinding,
  DoctorReport,
  ForgetResult,
  ForgetSelector,
  TraceCounts,
} from './domain/care.ts'
// what is kept
export type { Span } from './domain/chunk.ts'
export type { CueOrigin } from './domain/cue.ts'
export type { Document, DocumentState, Format, Metadata } from './domain/document.ts'
export { FORMATS } from './domain/document.ts'

// the change of embedder
export type {
  ComparedPassage,
  ComparedSpace,
  EmbedderChange,
  EmbedderComparison,
  EmbedderDropped,
  EmbedderLikeness,
  EmbedderSpace,
  EmbedderStatus,
  MigrationState,
  SpaceSettings,
  SpaceState,
} from './domain/embedder.ts'
// errors
export type { ErrorCode, ErrorOptions } from './domain/errors.ts'
export { ERROR_CODES, isProlepsisError, ProlepsisError } from './domain/errors.ts'
// evaluation
export type {
  CaseResult,
  DraftedEvaluation,
  EvaluationCase,
  EvaluationReport,
  Expectation,
  ModelCost,
  RetrievalFigures,
} from './domain/evaluation.ts'
// what can be passed in
export type { EngineEvent, EventListener } from './domain/events.ts'
export type { Filter } from './domain/filter.ts'
// jobs
export type { Enrichment, Job, JobKind, JobProgress, JobSpending, JobState } from './domain/jobs.ts'
export { JOB_KINDS, JOB_STATES } from './domain/jobs.ts'
export type { ExportEnd, ExportedDocument, ExportHeader, ExportLine } from './domain/portable.ts'
export type { Clock, IdGenerator } from './domain/ports.ts'
// what a bank or a call may put in place of prompts
export type { PromptName, PromptTexts } from './domain/prompt-files.ts'
// questions
export type {
  ChunkCue,
  ChunkQuestion,
  ChunkQuestions,
  RegenerateEstimate,
  RegenerateOptions,
  RegenerateResult,
  RegenerateSelector,
} from './domain/questions.ts'
// recall
export type {
  Channel,
  Explanation,
  FormulateFailure,
  FormulationReport,
  Formulator,
  FormulatorChoice,
  Fusion,
  HistoryMessage,
  Passage,
  RecallMode,
  RecallOptions,
  RecallQuery,
  RecallResult,
  ScoreParts,
  TimeInput,
} from './domain/recall.ts'
export { CHANNELS, FUSIONS, RECALL_MODES } from './domain/recall.ts'
// retain
export type {
  IndexOptions,
  IndexProgress,
  IndexResult,
  RetainContent,
  RetainFailure,
  RetainItem,
  RetainManyResult,
  RetainOptions,
  RetainResult,
  RetainStatus,
} from './domain/retain.ts'
// sweep
export type {
  Sweeper,
  SweepOptions,
  SweepPass,
  SweepReason,
  SweepWatchOptions,
  SweptFolder,
} from './domain/sweep.ts'
export type { Trust } from './domain/trust.ts'
export { TRUST_LEVELS } from './domain/trust.ts'
export type { DraftOptions } from './maintain/evaluate/draft-cases.ts'
export type { EvaluateOptions } from './maintain/evaluate/evaluate.ts'
export { parseEvaluation } from './maintain/evaluate/read-cases.ts'
export {
  jsonLines as evaluationJsonLines,
  markdownLines as evaluationMarkdown,
} from './maintain/evaluate/write-cases.ts'
// needs no open memory: it makes the folder that one is then opened on
export { restoreBackup } from './maintain/restore.ts'
// the trace
export type { FollowOptions } from './maintain/trace/follow-trace.ts'
export type { TailOptions } from './maintain/trace/read-trace.ts'
export type {
  BackOutOptions,
  CompareOptions,
  EmbedderCalls,
  MigrateOptions,
} from './memory/embedder-calls.ts'
export type { EmbedderTarget } from './memory/embedder-target.ts'
export type { MemoryOptions } from './memory/options.ts'
// the one way in
export { createMemory } from './memory.ts'
export type {
  Ask,
  AskAll,
  ImportResult,
  JobRunProgress,
  JobRunResult,
  JobSelector,
  Jobs,
  Memory,
  Questions,
  Regenerate,
  RetainManyOptions,
  Sweep,
} from './memory-api.ts'
export type {
  AnswerTrace,
  FormulateTrace,
  JobTrace,
  ModelCallTrace,
  RecallTrace,
  RetainTrace,
  SweepTrace,
  TracedExchange,
  TraceEvent,
  TraceRecord,
  Tracer,
  TraceType,
} from './observability/trace.ts'
export { TRACE_TYPES } from './observability/trace.ts'
export type { EmbeddingModel, EmbedOptions } from './providers/embedding-model.ts'
export type { InjectedEmbedder } from './providers/injected-embedder.ts'
export { createInjectedEmbedder } from './providers/injected-embedder.ts'
export type { GenerateFunction, InjectedLanguageModel } from './providers/injected-language-model.ts'
export { createInjectedLanguageModel } from './providers/injected-language-model.ts'
export type {
  FinishReason,
  GeneratePart,
  GenerateRequest,
  GenerateResult,
  LanguageModel,
  TokenUsage,
} from './providers/language-model.ts'
export type { LocalEmbedder, LocalEmbedderOptions } from './providers/local/local-embedder.ts'
export { createLocalEmbedder } from './providers/local/local-embedder.ts'
export { createRecordingModel } from './providers/replay/recording-model.ts'
export { createReplayModel } from './providers/replay/replay-model.ts'
export type { CrossEncoderOptions } from './providers/rerank/cross-encoder.ts'
export { createCrossEncoder } from './providers/rerank/cross-encoder.ts'
export type { RerankingModel, RerankRequest } from './providers/reranking-model.ts'
