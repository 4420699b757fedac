(define (problem timed-within) (:domain timed-traj) (:objects a b c d - room)
  (:init (at a) (adj a b) (adj b a) (adj b c) (adj c b) (adj a d) (adj d c) (adj c d))
  (:goal (at d)) (:constraints (within 5 (at d))))
