import type { OperatorCommand } from '../messages/operator-command.ts';
import { allSubjectKinds, type SubjectActivities, type SubjectKind, subjectKinds } from '../messages/subject-kinds.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { realNow } from '../platform/real-time.ts';
import type { Processors } from '../processors/processor.ts';
import { workflowTime } from '../services/customer-time.ts';
import { collectSubject, subjects } from '../services/subjects/kinds.ts';
import { carryOut, withHeartbeat } from './failures.ts';

export interface CollectionDeps {
  sql: Pool;
  processors: Processors;
  /** See `WorkflowTime`. */
  maxAheadMs?: number | undefined;
}

/**
 * Returns the activities of the workflows of all subjects, by the names that `subjectKinds` has. Each can be repeated
 * at any time. An operator command returns a sentence about the result, or fails as `CommandRefused`.
 */
export function createCollectionActivities({ sql, processors, maxAheadMs }: CollectionDeps): SubjectActivities {
  const activitiesOf = (kind: SubjectKind) => {
    const { read, collect, execute } = subjectKinds[kind].activities;
    return {
      [read]: (id: string) => carryOut(sql, () => subjects[kind].read(sql, id)),
      [collect]: (id: string, at: number) =>
        withHeartbeat(() =>
          carryOut(sql, () => collectSubject(sql, processors, { kind, id }, workflowTime(at, maxAheadMs))),
        ),
      [execute]: (id: string, command: OperatorCommand) =>
        carryOut(sql, () => subjects[kind].execute(sql, id, command, realNow())),
    };
  };
  return Object.assign({}, ...allSubjectKinds.map(activitiesOf));
}
