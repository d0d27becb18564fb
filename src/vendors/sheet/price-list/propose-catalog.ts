/** A price list that somebody brings, as settings of `catalog` with examples and questions. */
import { Type } from 'typebox'
import { validator } from '../../../lib/validator.ts'
import type { FileProposal, ProposalFile } from '../../adapter-module.ts'
import { proposeAside } from './examine-aside.ts'
import { CatalogSettings } from '../settings.ts'
import { COLUMNS } from './price-list.ts'
import { describeProposal } from './propose-list.ts'

/** What an answer may be about; the rest of `catalog`, such as the tax rate, stays as it is. */
const { sheet, encoding, delimiter, decimal, skip_rows, prices } = CatalogSettings.properties
const checkAnswers = validator(
  Type.Object({
    sheet,
    encoding,
    delimiter,
    decimal,
    skip_rows,
    prices,
    columns: Type.Optional(
      Type.Partial(
        Type.Record(
          Type.Enum([...COLUMNS]),
          Type.Union([Type.String(), Type.Null()], { expected: 'a header or null' }),
          {
            additionalProperties: false,
            expected: 'an object',
          },
        ),
      ),
    ),
  }),
)

export async function proposeCatalog({ answers, ...file }: ProposalFile): Promise<FileProposal> {
  const said = checkAnswers(answers)
  if (!said.ok) return { problem: said.problems.map(({ path, text }) => `${path.join('.')} ${text}`.trim()).join('; ') }
  const proposal = await proposeAside({ ...file, answers: said.value })
  if ('problem' in proposal) return proposal
  const { settings, header, examples, reading, questions } = proposal
  return {
    settings,
    header: [...header],
    examples,
    summary: describeProposal(reading),
    isUsable: reading.ok,
    notes: reading.ok ? reading.notes : [],
    leftOut: reading.ok ? reading.examplesLeftOut : [],
    leftOutCount: reading.ok ? reading.leftOut : 0,
    questions: questions.map(({ code, text, choices }) => ({
      code,
      text,
      choices: choices.map((choice) => ({
        label: choice.label,
        answers: choice.answers as Readonly<Record<string, unknown>>,
      })),
    })),
  }
}
