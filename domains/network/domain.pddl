; An admin patches hosts and cleans one; derived predicates, stratified negation.
(define (domain network)
  (:requirements :strips :typing :negative-preconditions
                 :disjunctive-preconditions :existential-preconditions
                 :derived-predicates)

  (:types host)

  (:predicates
    (socket ?a ?b - host)         ; a cable from a to b is possible
    (cable ?a ?b - host)
    (infected ?h - host)
    (has-updates ?h - host)
    (patched ?h - host)
    (reaches ?a ?b - host)        ; derived
    (exposed ?h - host)           ; derived
    (safe ?h - host)              ; derived
    (isolated ?h - host))         ; derived

  ; reaches is the transitive closure of cable
  (:derived (reaches ?a ?b - host)
    (or (cable ?a ?b)
        (exists (?m - host) (and (cable ?a ?m) (reaches ?m ?b)))))

  (:derived (exposed ?h - host)
    (or (infected ?h)
        (exists (?x - host) (and (infected ?x) (reaches ?x ?h)))))

  ; these two negate a predicate of a lower stratum
  (:derived (safe ?h - host)
    (not (exposed ?h)))

  (:derived (isolated ?h - host)
    (not (exists (?x - host) (reaches ?h ?x))))

  (:action plug
    :parameters (?a ?b - host)
    :precondition (and (socket ?a ?b) (not (cable ?a ?b)))
    :effect (and (cable ?a ?b) (cable ?b ?a)))

  (:action unplug
    :parameters (?a ?b - host)
    :precondition (cable ?a ?b)
    :effect (and (not (cable ?a ?b)) (not (cable ?b ?a))))

  ; a host gets its updates over any chain of cables, as long as it is safe
  (:action patch
    :parameters (?h ?from - host)
    :precondition (and (has-updates ?from) (reaches ?from ?h) (safe ?h))
    :effect (patched ?h))

  ; an infected host is only cleaned while no cable leads anywhere
  (:action clean
    :parameters (?h - host)
    :precondition (and (infected ?h) (isolated ?h))
    :effect (not (infected ?h))))
