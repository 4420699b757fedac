; A home with two hands: BEHAVIOR's actions, as its evaluator checks them.
;
; Each precondition lists the evaluator's checks in its order. Sizes are facts: (too-heavy ?o) for what no
; hand can lift, (too-big ?o ?c) for what does not fit into ?c. What is sliced into parts (in-parts) is
; handled by its parts.
(define (domain behavior)
  (:requirements :adl :derived-predicates)
  (:predicates
    (inside ?x ?y) (ontop ?x ?y) (under ?x ?y) (nextto ?x ?y) (onfloor ?x ?y) (in-left ?x) (in-right ?x)
    (cooked ?x) (dusty ?x) (frozen ?x) (is-open ?x) (sliced ?x) (soaked ?x) (stained ?x) (toggled-on ?x)
    (can-open ?x) (can-toggle ?x) (can-slice ?x) (can-soak ?x) (can-freeze ?x) (can-cook ?x) (can-be-dusty ?x)
    (can-be-stained ?x) (slicer ?x) (cleaning-tool ?x) (detergent ?x) (sink ?x) (teapot ?x) (dishwasher ?x)
    (saucepan ?x) (floor ?x) (too-heavy ?x) (too-big ?x ?y) (has-parts ?x)
    ; derived
    (left-full) (right-full) (hands-full) (in-hand ?x) (rests-in ?x ?y) (shut-away ?x) (in-parts ?x)
    (dust-remover ?x) (stain-remover ?x))

  (:derived (left-full) (exists (?x) (in-left ?x)))
  (:derived (right-full) (exists (?x) (in-right ?x)))
  (:derived (hands-full) (and (left-full) (right-full)))
  (:derived (in-hand ?x) (or (in-left ?x) (in-right ?x)))
  (:derived (rests-in ?x ?y)
    (or (inside ?x ?y) (ontop ?x ?y)
        (exists (?z) (and (inside ?x ?z) (rests-in ?z ?y)))
        (exists (?z) (and (ontop ?x ?z) (rests-in ?z ?y)))))
  ; inside something closed, or on or in something that is
  (:derived (shut-away ?x)
    (or (exists (?c) (and (inside ?x ?c) (can-open ?c) (not (is-open ?c))))
        (exists (?y) (and (inside ?x ?y) (shut-away ?y)))
        (exists (?y) (and (ontop ?x ?y) (shut-away ?y)))))
  (:derived (in-parts ?x) (and (sliced ?x) (has-parts ?x)))
  (:derived (dust-remover ?x)
    (or (exists (?t) (and (in-hand ?t) (cleaning-tool ?t)))
        (exists (?w) (and (rests-in ?x ?w) (toggled-on ?w) (or (dishwasher ?w) (sink ?w))))))
  (:derived (stain-remover ?x)
    (or (exists (?t) (and (in-hand ?t) (cleaning-tool ?t) (soaked ?t)))
        (exists (?t) (and (in-hand ?t) (detergent ?t)))
        (exists (?w) (and (rests-in ?x ?w) (toggled-on ?w) (or (dishwasher ?w) (sink ?w))))))

  (:action left_grasp
    :parameters (?o)
    :precondition (and (not (floor ?o))
                       (not (too-heavy ?o))
                       (not (in-left ?o))
                       (not (in-right ?o))
                       (not (left-full))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (in-left ?o)
                 (forall (?x) (and (not (inside ?o ?x)) (not (ontop ?o ?x)) (not (under ?o ?x)) (not (onfloor ?o ?x))
                            (not (nextto ?o ?x)) (not (nextto ?x ?o))))))

  (:action left_release
    :parameters (?o)
    :precondition (and (left-full)
                       (in-left ?o)
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (not (in-left ?o)))

  (:action left_place_ontop
    :parameters (?o)
    :precondition (and (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-left ?h) (not (in-left ?h))))
                 (forall (?h) (when (and (in-left ?h) (floor ?o)) (onfloor ?h ?o)))
                 (forall (?h) (when (and (in-left ?h) (not (floor ?o))) (ontop ?h ?o)))))

  (:action left_place_inside
    :parameters (?o)
    :precondition (and (not (exists (?h) (and (in-left ?h) (too-big ?h ?o))))
                       (imply (can-open ?o) (is-open ?o))
                       (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-left ?h) (and (not (in-left ?h)) (inside ?h ?o))))))

  (:action left_place_nextto
    :parameters (?o)
    :precondition (and (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-left ?h) (and (not (in-left ?h)) (nextto ?h ?o) (nextto ?o ?h))))
                 (forall (?h) (when (and (in-left ?h) (floor ?o)) (onfloor ?h ?o)))
                 (forall (?h ?y) (when (and (in-left ?h) (inside ?o ?y)) (inside ?h ?y)))
                 (forall (?h ?y) (when (and (in-left ?h) (ontop ?o ?y)) (ontop ?h ?y)))
                 (forall (?h ?y) (when (and (in-left ?h) (onfloor ?o ?y)) (onfloor ?h ?y)))))

  (:action left_place_under
    :parameters (?o)
    :precondition (and (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-left ?h) (and (not (in-left ?h)) (under ?h ?o))))
                 (forall (?h) (when (and (in-left ?h) (floor ?o)) (onfloor ?h ?o)))
                 (forall (?h ?y) (when (and (in-left ?h) (inside ?o ?y)) (inside ?h ?y)))
                 (forall (?h ?y) (when (and (in-left ?h) (ontop ?o ?y)) (ontop ?h ?y)))
                 (forall (?h ?y) (when (and (in-left ?h) (onfloor ?o ?y)) (onfloor ?h ?y)))))

  (:action left_place_onfloor
    :parameters (?o)
    :precondition (and (floor ?o)
                       (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-left ?h) (and (not (in-left ?h)) (onfloor ?h ?o))))))

  (:action left_place_nextto_ontop
    :parameters (?o ?s)
    :precondition (and (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o))
                       (not (shut-away ?s)))
    :effect (and (forall (?h) (when (in-left ?h) (and (not (in-left ?h)) (nextto ?h ?o) (nextto ?o ?h))))
                 (forall (?h) (when (and (in-left ?h) (floor ?s)) (onfloor ?h ?s)))
                 (forall (?h) (when (and (in-left ?h) (not (floor ?s))) (ontop ?h ?s)))))

  (:action left_transfer_contents_inside
    :parameters (?o)
    :precondition (and (not (exists (?h ?c) (and (in-left ?h) (inside ?c ?h) (too-big ?c ?o))))
                       (imply (can-open ?o) (is-open ?o))
                       (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (forall (?h ?c) (when (and (in-left ?h) (inside ?c ?h)) (and (not (inside ?c ?h)) (inside ?c ?o)))))

  (:action left_transfer_contents_ontop
    :parameters (?o)
    :precondition (and (left-full)
                       (not (exists (?h) (and (in-left ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (forall (?h ?c) (when (and (in-left ?h) (inside ?c ?h)) (and (not (inside ?c ?h)) (ontop ?c ?o)))))

  (:action right_grasp
    :parameters (?o)
    :precondition (and (not (floor ?o))
                       (not (too-heavy ?o))
                       (not (in-right ?o))
                       (not (in-left ?o))
                       (not (right-full))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (in-right ?o)
                 (forall (?x) (and (not (inside ?o ?x)) (not (ontop ?o ?x)) (not (under ?o ?x)) (not (onfloor ?o ?x))
                            (not (nextto ?o ?x)) (not (nextto ?x ?o))))))

  (:action right_release
    :parameters (?o)
    :precondition (and (right-full)
                       (in-right ?o)
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (not (in-right ?o)))

  (:action right_place_ontop
    :parameters (?o)
    :precondition (and (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-right ?h) (not (in-right ?h))))
                 (forall (?h) (when (and (in-right ?h) (floor ?o)) (onfloor ?h ?o)))
                 (forall (?h) (when (and (in-right ?h) (not (floor ?o))) (ontop ?h ?o)))))

  (:action right_place_inside
    :parameters (?o)
    :precondition (and (not (exists (?h) (and (in-right ?h) (too-big ?h ?o))))
                       (imply (can-open ?o) (is-open ?o))
                       (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-right ?h) (and (not (in-right ?h)) (inside ?h ?o))))))

  (:action right_place_nextto
    :parameters (?o)
    :precondition (and (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-right ?h) (and (not (in-right ?h)) (nextto ?h ?o) (nextto ?o ?h))))
                 (forall (?h) (when (and (in-right ?h) (floor ?o)) (onfloor ?h ?o)))
                 (forall (?h ?y) (when (and (in-right ?h) (inside ?o ?y)) (inside ?h ?y)))
                 (forall (?h ?y) (when (and (in-right ?h) (ontop ?o ?y)) (ontop ?h ?y)))
                 (forall (?h ?y) (when (and (in-right ?h) (onfloor ?o ?y)) (onfloor ?h ?y)))))

  (:action right_place_under
    :parameters (?o)
    :precondition (and (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-right ?h) (and (not (in-right ?h)) (under ?h ?o))))
                 (forall (?h) (when (and (in-right ?h) (floor ?o)) (onfloor ?h ?o)))
                 (forall (?h ?y) (when (and (in-right ?h) (inside ?o ?y)) (inside ?h ?y)))
                 (forall (?h ?y) (when (and (in-right ?h) (ontop ?o ?y)) (ontop ?h ?y)))
                 (forall (?h ?y) (when (and (in-right ?h) (onfloor ?o ?y)) (onfloor ?h ?y)))))

  (:action right_place_onfloor
    :parameters (?o)
    :precondition (and (floor ?o)
                       (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (forall (?h) (when (in-right ?h) (and (not (in-right ?h)) (onfloor ?h ?o))))))

  (:action right_place_nextto_ontop
    :parameters (?o ?s)
    :precondition (and (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o))
                       (not (shut-away ?s)))
    :effect (and (forall (?h) (when (in-right ?h) (and (not (in-right ?h)) (nextto ?h ?o) (nextto ?o ?h))))
                 (forall (?h) (when (and (in-right ?h) (floor ?s)) (onfloor ?h ?s)))
                 (forall (?h) (when (and (in-right ?h) (not (floor ?s))) (ontop ?h ?s)))))

  (:action right_transfer_contents_inside
    :parameters (?o)
    :precondition (and (not (exists (?h ?c) (and (in-right ?h) (inside ?c ?h) (too-big ?c ?o))))
                       (imply (can-open ?o) (is-open ?o))
                       (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (forall (?h ?c) (when (and (in-right ?h) (inside ?c ?h)) (and (not (inside ?c ?h)) (inside ?c ?o)))))

  (:action right_transfer_contents_ontop
    :parameters (?o)
    :precondition (and (right-full)
                       (not (exists (?h) (and (in-right ?h) (or (= ?o ?h) (rests-in ?o ?h)))))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (forall (?h ?c) (when (and (in-right ?h) (inside ?c ?h)) (and (not (inside ?c ?h)) (ontop ?c ?o)))))

  (:action open
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-open ?o)
                       (not (is-open ?o))
                       (not (shut-away ?o))
                       (not (in-parts ?o))
                       (not (toggled-on ?o)))
    :effect (is-open ?o))

  (:action close
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-open ?o)
                       (is-open ?o)
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (not (is-open ?o)))

  (:action toggle_on
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-toggle ?o)
                       (not (toggled-on ?o))
                       (not (shut-away ?o))
                       (not (in-parts ?o))
                       (not (is-open ?o)))
    :effect (and (toggled-on ?o)
                 (forall (?c) (when (and (dishwasher ?o) (inside ?c ?o)) (and (not (dusty ?c)) (not (stained ?c)))))))

  (:action toggle_off
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-toggle ?o)
                       (toggled-on ?o)
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (not (toggled-on ?o)))

  (:action slice
    :parameters (?o)
    :precondition (and (exists (?k) (and (in-hand ?k) (slicer ?k)))
                       (not (hands-full))
                       (can-slice ?o)
                       (not (sliced ?o))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (sliced ?o))

  (:action soak
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-soak ?o)
                       (not (soaked ?o))
                       (not (shut-away ?o))
                       (not (in-parts ?o))
                       (exists (?w) (and (inside ?o ?w) (or (teapot ?w) (and (sink ?w) (toggled-on ?w))))))
    :effect (soaked ?o))

  (:action dry
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-soak ?o)
                       (soaked ?o)
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (not (soaked ?o)))

  (:action freeze
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-freeze ?o)
                       (not (frozen ?o))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (frozen ?o))

  (:action unfreeze
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-freeze ?o)
                       (frozen ?o)
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (not (frozen ?o)))

  (:action cook
    :parameters (?o)
    :precondition (and (not (hands-full))
                       (can-cook ?o)
                       (not (cooked ?o))
                       (not (shut-away ?o))
                       (not (in-parts ?o))
                       (exists (?p) (and (or (inside ?o ?p) (ontop ?o ?p)) (saucepan ?p))))
    :effect (cooked ?o))

  (:action clean
    :parameters (?o)
    :precondition (and (or (can-be-dusty ?o) (can-be-stained ?o))
                       (or (dusty ?o) (stained ?o))
                       ; what is dusty and stained is cleaned of what there is a remover for
                       (or (not (dusty ?o)) (dust-remover ?o) (and (stained ?o) (stain-remover ?o)))
                       (or (not (stained ?o)) (stain-remover ?o) (and (dusty ?o) (dust-remover ?o)))
                       (not (shut-away ?o))
                       (not (in-parts ?o)))
    :effect (and (when (dust-remover ?o) (not (dusty ?o))) (when (stain-remover ?o) (not (stained ?o)))))
)
