/**
 * Matches answers to requests: an answer without a request id goes to the oldest open request, or to the next one that
 * arrives. Pure state, and the pair to try next; only trying shows whether an answer was accepted.
 */
export interface PendingAnswers<Answer> {
  readonly requests: ReadonlyArray<string>
  /** Answers that no request has taken yet, in the order they arrived. */
  readonly answers: ReadonlyArray<Answer>
  /** The answer to every further request, once no more answers can arrive. */
  readonly fallback: Answer | undefined
}

export const noPendingAnswers: PendingAnswers<never> = { requests: [], answers: [], fallback: undefined }

export const addRequest = <Answer>(pending: PendingAnswers<Answer>, requestId: string): PendingAnswers<Answer> => ({
  ...pending,
  requests: [...pending.requests, requestId]
})

export const removeRequest = <Answer>(pending: PendingAnswers<Answer>, requestId: string): PendingAnswers<Answer> => ({
  ...pending,
  requests: pending.requests.filter((id) => id !== requestId)
})

export const addAnswer = <Answer>(pending: PendingAnswers<Answer>, answer: Answer): PendingAnswers<Answer> => ({
  ...pending,
  answers: [...pending.answers, answer]
})

export const close = <Answer>(pending: PendingAnswers<Answer>, fallback: Answer): PendingAnswers<Answer> => ({
  ...pending,
  fallback
})

export interface Match<Answer> {
  readonly requestId: string
  readonly answer: Answer
}

export const nextMatch = <Answer>(pending: PendingAnswers<Answer>): Match<Answer> | undefined => {
  const { requests, answers, fallback } = pending
  const [requestId] = requests
  const answer = answers[0] ?? fallback
  return requestId === undefined || answer === undefined ? undefined : { requestId, answer }
}

export const dropAnswer = <Answer>(pending: PendingAnswers<Answer>): PendingAnswers<Answer> => ({
  ...pending,
  answers: pending.answers.slice(1)
})

/** Each request is tried once. An answer that it did not accept is kept for the next. */
export const afterMatch = <Answer>(
  pending: PendingAnswers<Answer>,
  { requestId }: Match<Answer>,
  isAccepted: boolean
): PendingAnswers<Answer> => {
  const rest = removeRequest(pending, requestId)
  return isAccepted ? dropAnswer(rest) : rest
}
