/**
 * Which answer is for which request: an answer without a name is for the oldest that is open, or for the next that
 * comes. A plain state, and what to try next; whether an answer was taken is known only after it was tried.
 */

export interface Desk<Answer> {
  /** Requests without an answer, the oldest first. */
  readonly open: ReadonlyArray<string>
  /** Answers without a request, in the order they were given. */
  readonly answers: ReadonlyArray<Answer>
  /** Set once no answer can come any more: what every further request gets. */
  readonly last: Answer | undefined
}

export const emptyDesk: Desk<never> = { open: [], answers: [], last: undefined }

export const asked = <Answer>(desk: Desk<Answer>, requestId: string): Desk<Answer> => ({
  ...desk,
  open: [...desk.open, requestId]
})

/** Whoever answered it. */
export const settled = <Answer>(desk: Desk<Answer>, requestId: string): Desk<Answer> => ({
  ...desk,
  open: desk.open.filter((id) => id !== requestId)
})

export const answered = <Answer>(desk: Desk<Answer>, answer: Answer): Desk<Answer> => ({
  ...desk,
  answers: [...desk.answers, answer]
})

/** No answer comes any more. */
export const closed = <Answer>(desk: Desk<Answer>, last: Answer): Desk<Answer> => ({ ...desk, last })

export interface Attempt<Answer> {
  readonly requestId: string
  readonly answer: Answer
}

/** What to try now. */
export const attempt = <Answer>({ open, answers, last }: Desk<Answer>): Attempt<Answer> | undefined => {
  const [requestId] = open
  const answer = answers[0] ?? last
  return requestId === undefined || answer === undefined ? undefined : { requestId, answer }
}

/** The first answer was none: what is open stays open. */
export const refused = <Answer>(desk: Desk<Answer>): Desk<Answer> => ({ ...desk, answers: desk.answers.slice(1) })

/** A request is tried once. An answer that it did not take is for the next. */
export const tried = <Answer>(desk: Desk<Answer>, { requestId }: Attempt<Answer>, isTaken: boolean): Desk<Answer> => ({
  ...settled(desk, requestId),
  answers: isTaken ? desk.answers.slice(1) : desk.answers
})
