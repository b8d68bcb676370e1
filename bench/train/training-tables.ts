import { FUSION_BIAS_FEATURES } from '../../src/testing.ts'
import { RANKING_FEATURES, type TrainingReport } from './train-fusion.ts'

interface Table {
  readonly heading: string
  readonly columns: readonly string[]
  readonly table: readonly (readonly (string | number)[])[]
}

/** The report for people: quality, the table for src/recall/fusion-weights.ts, calibration, abstention. */
export function trainingTables(report: TrainingReport): Table[] {
  const quality = Object.entries(report.rows).flatMap(([name, levels]) =>
    Object.entries(levels).map(([level, row]) => [
      `${level}: ${name}`,
      ...[5, 10, 20].map((k) => row.any[k]!.toFixed(1)),
      ...[5, 10, 20].map((k) => row.recall[k]!.toFixed(1)),
      row.mrr.toFixed(3),
    ]),
  )
  const { bias, weights } = report.weights
  return [
    {
      heading: `Fusion trained on ${report.cases} questions, per cent`,
      columns: ['set', 'any@5', 'any@10', 'any@20', 'recall@5', 'recall@10', 'recall@20', 'MRR'],
      table: quality.sort((a, b) => levelOf(a[0]!).localeCompare(levelOf(b[0]!))),
    },
    {
      heading: 'Weights, for src/recall/fusion-weights.ts',
      columns: ['feature', 'weight'],
      table: [
        ...[...RANKING_FEATURES, 'z_concept', ...FUSION_BIAS_FEATURES].map((name) => [
          name,
          (weights[name] ?? 0).toFixed(3),
        ]),
        ['bias', bias.toFixed(3)],
      ],
    },
    ...Object.entries(report.reliability).map(([set, { bands, brier, skill }]) => ({
      heading: `Probabilities on what was not seen, ${set}: Brier ${brier}, skill ${skill}`,
      columns: ['from', 'to', 'candidates', 'mean probability', 'share relevant'],
      table: bands,
    })),
    {
      heading: 'Probability of the best candidate, on what was not seen',
      columns: ['questions', 'quarter', 'median', 'three quarters', '95 %', 'told from answered ones'],
      table: Object.entries(report.abstention).flatMap(([set, one]) =>
        [
          [`${set}, answered`, ...one.answered, ''],
          [`${set}, adversarial`, ...one.adversarial, one.againstAdversarial],
          [`${set}, foreign`, ...one.foreign, one.againstForeign],
        ].filter((row) => row.length > 2),
      ),
    },
  ]
}

const levelOf = (name: string | number): string => String(name).split(': ')[0] ?? ''
