(define (problem timed-ha) (:domain timed-traj) (:objects a b c d - room)
  (:init (at a) (adj a b) (adj b a) (adj b c) (adj c b) (adj a d) (adj d c) (adj c d))
  (:goal (at c)) (:constraints (hold-after 5 (at c))))
