/** The requests for approval of a run, and the made-up people who decide on them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { visibleText } from '../../../visibleText.js';
import type { PageDecision, WaitingRequest } from '../protocol.js';
import type { Decision } from './runView.js';
import { Cards } from './questionCards.js';
import { act, shownRun } from './state.js';

/** Renders the requests of the shown run. */
export function ApproverPanel(): JSX.Element {
  const { requests = [], decisions = [] } = shownRun.value ?? {};
  return (
    <section class="panel questions" aria-labelledby="approver-title">
      <h2 id="approver-title">The approver</h2>
      <div aria-live="polite">
        {requests.length === 0 ? (
          <p class="empty">
            The request of the call appears here. It stays on this page: the `notify` of your desk
            is not called, and its store is not used.
          </p>
        ) : (
          <Cards>
            {requests.map((request) => (
              <RequestCard
                key={request.id}
                request={request}
                refused={refusalOf(request, decisions)}
              />
            ))}
          </Cards>
        )}
      </div>
    </section>
  );
}

interface RequestProps {
  readonly request: WaitingRequest;
  /** The reason why the latest decision does not count. */
  readonly refused: string;
}

function RequestCard({ request, refused }: RequestProps): JSX.Element {
  const { resolver, message, facts, by, state, decisions, quorum, requester } = request;
  return (
    <article class={`question ${state}`} aria-label={`Request of ${resolver}`}>
      <p class="from">
        <span class="mono">{resolver}</span> asks {by.join(' or ')}
        {quorum > 1 ? `, and ${quorum} people must approve` : ''}
      </p>
      <p class="message">{visibleText(message)}</p>
      <dl>
        {facts.map(([name, value]) => (
          <>
            <dt>{visibleText(name)}</dt>
            <dd>{visibleText(value)}</dd>
          </>
        ))}
        <dt>Requester</dt>
        <dd>{requester}</dd>
      </dl>
      {decisions.map(({ who, verdict, comment }) => (
        <p key={who}>
          {who} {verdict === 'approve' ? 'approved' : 'denied'}
          {comment === undefined ? '' : `: ${comment}`}
        </p>
      ))}
      <p class="hint">{STATES[state]}</p>
      {state === 'pending' ? <DecisionForm request={request} /> : undefined}
      <p class="problem" role="alert">
        {refused}
      </p>
    </article>
  );
}

const STATES: Readonly<Record<WaitingRequest['state'], string>> = {
  pending: 'It waits. After a decision, the page makes the same call again, as the model would.',
  approved: 'It is approved.',
  denied: 'It is denied.',
  used: 'It was approved, and the call has used it.',
  over: 'It was withdrawn or has expired. The next call makes a new request.',
};

/** The made-up approvers. Nobody counts for two requests of a call. */
const MEMBERS = ['cleo', 'dan', 'fay', 'gus'];
const OUTSIDER = 'eve';

/** Returns a member who has not decided on a request of the shown run. */
function nextMember(): string {
  const { requests = [] } = shownRun.value ?? {};
  const decided = requests.flatMap(({ decisions }) => decisions.map(({ who }) => who));
  return MEMBERS.find((name) => !decided.includes(name)) ?? 'cleo';
}

function DecisionForm({ request }: { readonly request: WaitingRequest }): JSX.Element {
  const { id, requester, resolver } = request;
  const [chosen, setWho] = useState('');
  const who = chosen || nextMember();
  const [comment, setComment] = useState('');
  const decide = (verdict: PageDecision['verdict'], as = who): void => {
    const decision = { id, who: as, inGroup: as !== OUTSIDER, verdict, comment };
    setWho('');
    void act({ type: 'decide', decision });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        decide('approve');
      }}
    >
      <div class="field">
        <label for={`who-${resolver}`}>Decide as</label>
        <select
          id={`who-${resolver}`}
          value={who}
          onChange={({ currentTarget }) => setWho(currentTarget.value)}
        >
          {MEMBERS.map((name) => (
            <option key={name} value={name}>
              {name}, a member of the group
            </option>
          ))}
          <option value={OUTSIDER}>{OUTSIDER}, not a member</option>
          <option value={requester}>{requester}, the requester</option>
        </select>
      </div>
      <div class="field">
        <label for={`comment-${resolver}`}>Comment</label>
        <input
          id={`comment-${resolver}`}
          type="text"
          autocomplete="off"
          value={comment}
          onInput={({ currentTarget: { value } }) => setComment(value)}
        />
      </div>
      <div class="actions">
        <button class="main" type="submit">
          Approve
        </button>
        <button type="button" onClick={() => decide('deny')}>
          Deny
        </button>
        <button type="button" onClick={() => decide('withdraw', requester)}>
          Withdraw as {requester}
        </button>
      </div>
    </form>
  );
}

/** Says why the latest decision on a request does not count. */
function refusalOf({ id }: WaitingRequest, decisions: readonly Decision[]): string {
  const latest = decisions.findLast(({ decision }) => decision.id === id);
  if (latest === undefined || latest.decided.counted) return '';
  const { decision, decided } = latest;
  return `The decision of ${decision.who} does not count: ${REASONS[decided.why ?? 'unknown']}.`;
}

const REASONS: Readonly<Record<NonNullable<Decision['decided']['why']>, string>> = {
  unknown: 'the request is unknown',
  'not in the group': 'not a member of the group',
  'own request': 'nobody decides on their own request',
  'not the requester': 'only the requester can withdraw',
  over: 'the request is over',
  used: 'the call has run',
  denied: 'the request was denied',
  'counted already': 'they have approved another request of this call',
};
