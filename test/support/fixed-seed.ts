import fc from 'fast-check'

// The same inputs in every run: a failure is a change's, not chance's. Another seed: PROLEPSIS_TEST_SEED.
fc.configureGlobal({ seed: Number(process.env.PROLEPSIS_TEST_SEED ?? 20_260_301) })
