; One hand re-stacks toy blocks on a table; plain untyped STRIPS.
(define (domain blocks)
  (:requirements :strips)

  (:predicates
    (on ?top ?below)      ; one block rests on another
    (on-table ?b)
    (clear ?b)            ; nothing rests on the block
    (held ?b)
    (hand-empty))

  ; pick a block up from the table
  (:action lift
    :parameters (?b)
    :precondition (and (hand-empty) (on-table ?b) (clear ?b))
    :effect (and (held ?b)
                 (not (hand-empty)) (not (on-table ?b)) (not (clear ?b))))

  ; set the held block down on the table
  (:action lower
    :parameters (?b)
    :precondition (held ?b)
    :effect (and (on-table ?b) (clear ?b) (hand-empty)
                 (not (held ?b))))

  ; take a block off the block below it
  (:action take
    :parameters (?top ?below)
    :precondition (and (hand-empty) (on ?top ?below) (clear ?top))
    :effect (and (held ?top) (clear ?below)
                 (not (hand-empty)) (not (on ?top ?below)) (not (clear ?top))))

  ; place the held block on top of another block
  (:action place
    :parameters (?top ?below)
    :precondition (and (held ?top) (clear ?below))
    :effect (and (on ?top ?below) (clear ?top) (hand-empty)
                 (not (held ?top)) (not (clear ?below)))))
