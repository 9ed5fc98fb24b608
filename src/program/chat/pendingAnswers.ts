/**
 * Which answer belongs to which request: an answer without a request id goes to the oldest open request, or to the next
 * one that arrives. Pure state, and the pair to try next; only trying shows whether an answer was accepted.
 */

export interface PendingAnswers<Answer> {
  /** Ids of unanswered requests, oldest first. */
  readonly requests: ReadonlyArray<string>
  /** Answers that no request has taken yet, in the order they arrived. */
  readonly answers: ReadonlyArray<Answer>
  /** Given to every further request; set once no more answers can arrive. */
  readonly fallback: Answer | undefined
}

export const noPendingAnswers: PendingAnswers<never> = { requests: [], answers: [], fallback: undefined }

export const addRequest = <Answer>(pending: PendingAnswers<Answer>, requestId: string): PendingAnswers<Answer> => ({
  ...pending,
  requests: [...pending.requests, requestId]
})

/** The request needs no answer any more. */
export const removeRequest = <Answer>(pending: PendingAnswers<Answer>, requestId: string): PendingAnswers<Answer> => ({
  ...pending,
  requests: pending.requests.filter((id) => id !== requestId)
})

export const addAnswer = <Answer>(pending: PendingAnswers<Answer>, answer: Answer): PendingAnswers<Answer> => ({
  ...pending,
  answers: [...pending.answers, answer]
})

/** No more answers arrive. */
export const close = <Answer>(pending: PendingAnswers<Answer>, fallback: Answer): PendingAnswers<Answer> => ({
  ...pending,
  fallback
})

export interface Match<Answer> {
  readonly requestId: string
  readonly answer: Answer
}

/** The oldest request with the answer to try on it. */
export const nextMatch = <Answer>({
  requests,
  answers,
  fallback
}: PendingAnswers<Answer>): Match<Answer> | undefined => {
  const [requestId] = requests
  const answer = answers[0] ?? fallback
  return requestId === undefined || answer === undefined ? undefined : { requestId, answer }
}

/** The first answer was invalid: it is dropped, and the request stays open. */
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
